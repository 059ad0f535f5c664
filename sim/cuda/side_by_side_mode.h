// SPDX-License-Identifier: Apache-2.0
// The mode of kernels of several streams: executed and recorded at once, timed when the timeline knows with what others
// they run.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "sim/cuda/launch_device.h"

namespace sassim::cuda {

class SideBySideMode final : public LaunchMode {
 public:
  explicit SideBySideMode(LaunchDevice& device);
  Launched run(const DeviceLaunch& request, LaunchProgress& progress) override;
  SideBySide& kernels() { return kernels_; }
  /// Before a launch: settles if too many wait for their times.
  void make_room(const std::function<void()>& settle);

 private:
  /// A kernel that waits for its times.
  struct Waiting {
    const emu::Kernel* kernel;
    std::uint64_t number;
    std::uint64_t in_log;  ///< its number in the log
    std::string path;
    emu::RunResult recorded;
    StreamName stream;
  };
  SideBySide::Hooks hooks();
  arch::RunOptions begin(std::uint64_t kernel, std::uint64_t steps);
  void ended(std::uint64_t name, const trace::BlockSource& source, const arch::KernelResult& result,
             std::uint64_t group, double seconds);
  report::KernelReport report_of(const Waiting& kernel, const trace::BlockSource& source,
                                 const arch::KernelResult& result, std::uint64_t group) const;

  LaunchDevice& device_;
  std::map<std::uint64_t, Waiting> waiting_;  ///< by the KernelDevice's number
  std::unique_ptr<LaunchProgress> progress_;  ///< of the run that the KernelDevice has begun last
  SideBySide kernels_;
};

}  // namespace sassim::cuda
