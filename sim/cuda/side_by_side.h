// SPDX-License-Identifier: Apache-2.0
// Kernels of several streams on the timing model. They have been executed and recorded; here they run side by side as
// far as their streams and the SMs allow.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arch/gpu/gpu.h"
#include "sim/cuda/work.h"
#include "sim/trace/kernel.h"

namespace sassim::cuda {

class SideBySide final : public KernelDevice {
 public:
  /// What the launcher does for each kernel.
  struct Hooks {
    std::function<arch::Gpu&()> gpu;
    /// Options of the run that a kernel begins, before others join.
    std::function<arch::RunOptions(std::uint64_t kernel, std::uint64_t steps)> begin;
    /// The results of a kernel. Comes in the order in which kernels were added.
    std::function<void(std::uint64_t kernel, const trace::BlockSource&, const arch::KernelResult&, std::uint64_t group,
                       double seconds)>
        ended;
    /// What is known of a kernel that has ended and whose result may still change, because others can join it. The
    /// host has waited for it.
    std::function<void(std::uint64_t kernel, const trace::BlockSource&, const arch::KernelResult&, std::uint64_t group)>
        so_far;
  };
  using Trace = std::function<std::unique_ptr<trace::BlockSource>()>;

  SideBySide(std::uint64_t clock_hz, Hooks hooks) : clock_hz_(clock_hz), hooks_(std::move(hooks)) {}

  /// A kernel whose start the timeline will decide. `trace`, which is called when it starts, gives its recorded blocks;
  /// `steps`: their warp instructions; `stream`: the number of its stream.
  std::uint64_t add(Trace trace, std::uint64_t steps, std::uint64_t stream);
  /// True once a kernel has been added.
  bool in_use() const { return added_ != 0; }
  /// Kernels that have been added and whose results have not been reported yet.
  std::size_t pending() const { return kernels_.size(); }
  /// A fill or a copy that the host has submitted.
  void written(std::uint64_t address, std::uint64_t bytes, bool from_host) {
    writes_.push_back({address, bytes, from_host});
  }
  /// Call it after all kernels have ended: reports their results, and applies all fills and copies to the caches.
  void close();

  void start(std::uint64_t kernel, int priority, Picoseconds at) override;
  std::optional<Ended> advance(std::optional<Picoseconds> until) override;
  std::uint64_t writes() const override { return applied_ + writes_.size(); }
  void apply_writes(std::uint64_t number) override;
  void host_waits(Picoseconds until, bool idle) override;
  void rest() override;

 private:
  struct Write {
    std::uint64_t address, bytes;
    bool from_host;
  };
  struct Kernel {
    Trace trace;
    std::uint64_t steps = 0;
    std::unique_ptr<trace::BlockSource> source;
    bool ended = false, told_so_far = false;
    std::optional<arch::KernelResult> result;
    std::uint64_t group = 0;
    double seconds = 0;
  };
  Cycle cycles(Picoseconds time) const;
  Picoseconds time_of(Cycle cycles) const;
  trace::BlockSource& source(std::uint64_t kernel);
  void run_alone(std::uint64_t kernel, Picoseconds at);
  void end_group();
  void flush_writes();
  void report_results();

  std::uint64_t clock_hz_;
  Hooks hooks_;
  std::map<std::uint64_t, Kernel> kernels_;
  std::uint64_t added_ = 0;
  std::optional<std::uint64_t> only_stream_;  ///< of all kernels so far
  bool several_streams_ = false;

  std::vector<std::uint64_t> group_;  ///< kernels of the group, in its order; empty: there is none
  std::size_t running_ = 0;           ///< kernels of the group that have not ended
  Picoseconds group_start_, last_end_;
  std::uint64_t groups_ = 0;
  double seconds_ = 0;
  std::optional<Ended> ended_alone_;
  std::deque<Write> writes_;  ///< that the caches have not heard of
  std::uint64_t applied_ = 0, due_ = 0;
};

}  // namespace sassim::cuda
