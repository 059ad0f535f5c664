// SPDX-License-Identifier: Apache-2.0
// The ways to run a kernel launch alone: functional, live and replay.
#pragma once

#include "sim/cuda/launch_device.h"
#include "sim/cuda/settled_launches.h"

namespace sassim::cuda {

/// Whether what the kernel's warps execute can depend on when, or where, they run.
bool depends_on_time(const emu::Kernel& kernel);
bool reads_clock(const emu::Kernel& kernel);

/// Executed, and not timed. So that a program can take times from events, a launch counts as one cycle for each warp
/// instruction of all its warps. That is no estimate, but never zero, and more work takes longer.
class FunctionalMode final : public LaunchMode {
 public:
  explicit FunctionalMode(LaunchDevice& device) : device_(device) {}
  Launched run(const DeviceLaunch& request, LaunchProgress& progress) override;

 private:
  emu::RunResult execute(const DeviceLaunch& request, LaunchProgress& progress);
  LaunchDevice& device_;
  SettledLaunches settled_;
};

/// Executed while the model times it.
class LiveMode final : public LaunchMode {
 public:
  explicit LiveMode(LaunchDevice& device) : device_(device) {}
  Launched run(const DeviceLaunch& request, LaunchProgress& progress) override;

 private:
  LaunchDevice& device_;
};

/// Executed and recorded, then timed alone, unless launches like it were timed often enough.
class ReplayMode final : public LaunchMode {
 public:
  explicit ReplayMode(LaunchDevice& device) : device_(device) {}
  Launched run(const DeviceLaunch& request, LaunchProgress& progress) override;

 private:
  Launched left_out(const DeviceLaunch& request, const emu::RunResult& done);
  LaunchDevice& device_;
};

}  // namespace sassim::cuda
