// SPDX-License-Identifier: Apache-2.0
// The interface of a way to run a launch: functional, live, replay, or side by side with others. The launcher chooses
// one for each launch.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "sim/cuda/launch_progress.h"
#include "sim/cuda/work.h"
#include "sim/emu/core/emulator.h"
#include "sim/trace/kernel.h"

namespace sassim::cuda {

/// A stream as the results name it.
struct StreamName {
  std::uint64_t number = 0;
  bool ordered = true;  ///< it and the legacy default stream wait for each other
};

/// A launch as the device gets it.
struct DeviceLaunch {
  const emu::Kernel& kernel;
  const emu::LaunchConfig& launch;
  trace::KernelInfo info;  ///< empty for a launch that is neither timed nor recorded, like the path
  std::string path;        ///< of the trace
  std::uint64_t number;    ///< of the launch in the process, from 0
  std::uint64_t in_log;    ///< its number in the log
  bool timed;              ///< false: functional, beside others that are timed
  StreamName stream;
  /// Gives all earlier work its times. Empty: the launch is timed before its call returns.
  const std::function<void()>& settle;
};

/// What became of a launch.
struct Launched {
  std::optional<std::uint64_t> kernel;  ///< it will run beside others: its number at the KernelDevice
  Picoseconds duration;                 ///< else: for how long the device was busy
};

class LaunchMode {
 public:
  virtual ~LaunchMode() = default;
  /// Executes a launch. Throws the errors of the emulator and of the model; a mode that executes before it times also
  /// throws emu::OrderMatters, with the memory as it was before, for a launch that must be live.
  virtual Launched run(const DeviceLaunch& request, LaunchProgress& progress) = 0;
};

}  // namespace sassim::cuda
