// SPDX-License-Identifier: Apache-2.0
// What several GPUs share: the SystemC simulation with its clock, and the threads of the epoch engine. Each GPU is a
// module with a process of its own, so that SystemC's scheduler keeps all of them at one simulated time.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "arch/gpu/gpu.h"

namespace sassim::arch {

class ThreadTeam;

class System {
 public:
  /// `own`: a SystemC simulation of its own. `platform`: the GPUs are modules of the SystemC simulation that is being
  /// elaborated; their launches are run by its threads (SC_THREAD), which wait in simulated time.
  enum class Simulation : std::uint8_t { own, platform };
  explicit System(Simulation simulation = Simulation::own);
  ~System();
  System(const System&) = delete;
  System& operator=(const System&) = delete;

  struct Launch {
    trace::BlockSource* source;
    RunOptions options;
  };
  /// What a GPU has to do: launches one after the other.
  struct Work {
    Gpu* gpu;
    std::vector<Launch> launches;
    std::function<void(std::size_t, KernelResult)> done;  ///< receives the result of each launch, by its number
  };
  /// Simulates work on different GPUs of this system, which begins at the same time. If work fails, the other is
  /// simulated to its end, and the first error is thrown. Not in a platform, whose threads call Gpu::run.
  void run(const std::vector<Work>& work);

  // What follows is for the GPUs.

  bool in_platform() const;
  /// True if its clock can be ahead of one of its GPUs.
  bool shared() const;
  /// Runs `work` with the system's simulation as SystemC's current one.
  void use(const std::function<void()>& work);
  /// A GPU joins. Throws UsageError after the simulation has begun.
  void join();
  /// Ends the construction; no GPU joins any more.
  void elaborate();
  /// A process of a GPU has begun to step, or has ended.
  void begin();
  void end();
  /// Simulates until all processes that have begun have ended.
  void run_processes();
  /// The threads that engines of all GPUs share: those that are there, or as many as asked for.
  std::shared_ptr<ThreadTeam> team(unsigned threads);

 private:
  struct Program;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sassim::arch
