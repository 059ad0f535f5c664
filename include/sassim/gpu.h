// SPDX-License-Identifier: Apache-2.0
// Simulated GPUs. Each can run any number of traces. Results never depend on other GPUs, on the number of host threads,
// or on the order in which GPUs take turns.
#pragma once

#include <sassim/result.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sassim {

/// What a kernel finds in the caches. cold: nothing; warm: all that the previous kernel left; keep: the same without
/// what each launch invalidates.
enum class Caches { cold, warm, keep };

/// What a launch did in an interval of time.
struct Interval {
  std::uint64_t from = 0, until = 0;  ///< cycles of the launch
  std::vector<Metric> counters;       ///< the parts of the metrics of these names that were counted in the interval
};

/// Is told what happens, by the thread that runs the simulation. An exception that it throws ends the run and leaves
/// run().
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void launch_began(std::size_t /*number*/, const KernelInfo& /*kernel*/) {}
  /// Every RunOptions::interval cycles of a launch, and at its end.
  virtual void interval(std::size_t /*number*/, const Interval& /*interval*/) {}
  virtual void launch_ended(const Launch& /*launch*/) {}
};

struct RunOptions {
  unsigned threads = 1;  ///< of the host, at most one for each core; results do not depend on it
  Caches caches = Caches::cold;
  bool allow_arch_mismatch = false;            ///< allow traces that were made for another architecture
  std::uint64_t max_cycles = 0;                ///< Error (no_progress) for a kernel that takes longer; 0: no limit
  std::uint64_t no_progress_cycles = 1000000;  ///< Error (no_progress) if no instruction issues for so long
  Observer* observer = nullptr;
  std::uint64_t interval = 0;  ///< cycles between calls of Observer::interval; 0: none
};

class Gpu {
 public:
  /// A GPU with a clock of its own.
  explicit Gpu(const Configuration& configuration);
  ~Gpu();
  Gpu(Gpu&&) noexcept;
  Gpu& operator=(Gpu&&) noexcept;

  /// Simulates the kernels one after the other, as one application. On a new GPU the result is that of `sassim run`,
  /// byte for byte. With Caches::cold, the same holds for every run; with warm and keep, the first kernel finds what
  /// the previous run has left. One thread at a time simulates: others wait.
  Result run(const Trace& trace, const RunOptions& options = {});
  /// All metrics that a launch has on this GPU, with the value 0.
  Metrics metrics() const;
  const Configuration& configuration() const;

  struct Impl;
  /// For the library itself.
  explicit Gpu(std::unique_ptr<Impl> impl);
  Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

/// Several GPUs with one clock, which run at the same simulated time.
class System {
 public:
  System();
  ~System();
  System(const System&) = delete;
  System& operator=(const System&) = delete;

  /// Before the first run. The GPU belongs to the system.
  Gpu& add(const Configuration& configuration);

  struct Work {
    Gpu* gpu;  ///< of this system, in one work only
    const Trace* trace;
    RunOptions options{};
  };
  /// Runs an application on each of the GPUs; all begin at the same time. Returns the results in the order of `work`.
  /// If one fails, the others still come to their end, and then its Error is thrown.
  std::vector<Result> run(const std::vector<Work>& work);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sassim
