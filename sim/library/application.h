// SPDX-License-Identifier: Apache-2.0
// One run of a trace on a GPU of the library: it gives the hardware each launch with its options, tells the caller's
// observer, and gathers the results. Gpu, System and GpuModule have one for each run.
#pragma once

#include <sassim/gpu.h>

#include <functional>

#include "arch/gpu/gpu.h"
#include "sim/report/result_stream.h"

namespace sassim::library {

class Application {
 public:
  Application(Gpu::Impl& gpu, const Trace& trace, const RunOptions& options);
  Application(const Application&) = delete;
  Application& operator=(const Application&) = delete;

  std::size_t size() const { return trace_.size(); }
  trace::BlockSource& source(std::size_t number) const;
  /// Of a launch; valid as long as this object.
  arch::RunOptions options(std::size_t number);
  /// Tell it when the hardware begins a launch and when it has ended.
  void began(std::size_t number);
  void ended(std::size_t number, const arch::KernelResult& result);
  /// The result of the run. Call it when all launches have ended.
  Result finish();
  /// All launches, one after the other.
  Result run();

 private:
  Interval interval(Cycle from, Cycle until, const std::vector<std::uint64_t>& counts) const;

  Gpu::Impl& gpu_;
  Trace trace_;
  RunOptions options_;
  Metrics known_;  ///< for the units of counters, if intervals are observed
  report::JsonText json_;
  Result result_;
};

}  // namespace sassim::library
