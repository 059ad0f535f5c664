// SPDX-License-Identifier: Apache-2.0
// What the ways to run a launch (launch_mode.h) share: a device's memory, its timing model with the clock, the log, and
// what users are told.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "arch/gpu/gpu.h"
#include "sim/config/gpu_config.h"
#include "sim/cuda/launch_mode.h"
#include "sim/cuda/launch_options.h"
#include "sim/cuda/launch_strata.h"
#include "sim/cuda/session_log.h"
#include "sim/cuda/side_by_side.h"
#include "sim/emu/core/recording.h"

namespace sassim::cuda {

class LaunchDevice {
 public:
  LaunchDevice(const config::GpuConfig& gpu, emu::DeviceMemory& device_memory, LaunchOptions launch_options);

  const config::GpuConfig& config;
  emu::DeviceMemory& memory;
  LaunchOptions options;
  SessionLog log;
  std::optional<LaunchStrata> strata{};  ///< absent: every launch is timed
  std::unique_ptr<arch::Gpu> gpu;        ///< from the first use of model() on
  std::uint64_t before_context = 0;      ///< launches in earlier contexts
  Cycle clock;                           ///< the SM clock goes on from launch to launch

  arch::Gpu& model();
  bool saves_traces() const { return !options.trace_dir.empty(); }
  /// Kernels with malloc or free cannot be live.
  bool may_be_live(const emu::Kernel& kernel) const;
  bool is_live(const emu::Kernel& kernel) const;
  arch::CacheStart caches() const;
  /// For the model, of the launch with this number.
  arch::RunOptions run_options(std::uint64_t number) const;
  Picoseconds time_of(Cycle cycles) const;
  /// A launch alone took so many cycles. Returns for how long the device was busy.
  Launched passed(Cycle cycles);
  LaunchProgress::Watchers watchers() const;

  /// A launch that has been executed.
  struct Recorded {
    emu::RunResult result;
    SideBySide::Trace trace;
  };
  /// Executes a launch and records its trace. `meeting`: what is done when a block reads what another one has written.
  /// `in_memory`: bytes of the trace that may be in memory; those of a trace that the user wants are in its file.
  Recorded record(const DeviceLaunch& request, LaunchProgress& progress, emu::Meeting meeting,
                  std::uint64_t in_memory = 0);
  /// The same for a launch that is timed afterwards.
  Recorded record_for_timing(const DeviceLaunch& request, LaunchProgress& progress, std::uint64_t in_memory = 0);
  /// The same for a launch that is timed at once, while the request lives: where it is likely to be sampled, only
  /// blocks that are timed are recorded, when the model asks for them.
  Recorded record_for_sampling(const DeviceLaunch& request, LaunchProgress& progress);

  /// The report of a launch that the model has timed. `path`: of the trace; `group`: of kernels that ran side by side.
  report::KernelReport report_of(const emu::Kernel& kernel, const trace::BlockSource& source,
                                 const arch::KernelResult& result, const std::string& path,
                                 const emu::BesideAccesses& beside, const std::string& note = {},
                                 std::uint64_t group = 0) const;
  /// Adds what is known of a launch besides its times.
  void describe(report::KernelReport& report, const std::string& path, const emu::BesideAccesses& beside,
                const std::string& note) const;
  /// Of a kernel that is not live although its path depends on time: what its times are worth. Empty for others.
  std::string path_note(const emu::Kernel& kernel, const emu::RunResult& result) const;
  /// Once: what clocks are in a kernel that is not live.
  void report_counts(const emu::Kernel& kernel);
  /// Once for each kernel, what it did beside allocations.
  void report_beside(const emu::Kernel& kernel, const emu::BesideAccesses& beside);

 private:
  const char* why_not_live(const emu::Kernel& kernel) const;

  bool told_of_counts_ = false;
  std::set<std::string> told_of_beside_;  ///< kernels
};

}  // namespace sassim::cuda
