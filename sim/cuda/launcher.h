// SPDX-License-Identifier: Apache-2.0
// Runs the kernel launches of a simulated device, each in the mode that fits it (launch_mode.h).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "sim/config/gpu_config.h"
#include "sim/cuda/launch_mode.h"
#include "sim/cuda/launch_options.h"
#include "sim/cuda/session_log.h"
#include "sim/cuda/timeline.h"

namespace sassim::cuda {

class Launcher {
 public:
  Launcher(const config::GpuConfig& gpu, emu::DeviceMemory& memory, LaunchOptions options);
  ~Launcher();

  /// Executes a launch and times it to its end. If `settle` is set and the KernelDevice accepts the launch, it is timed
  /// later instead. `settle` gives all earlier work its times. Throws the errors of the emulator and of the model.
  Launched launch(const emu::Kernel& kernel, const emu::LaunchConfig& launch, std::uint32_t preferred_carveout,
                  const StreamName& stream, const std::function<void()>& settle);
  /// Runs kernels side by side; nullptr where kernels always run one at a time.
  KernelDevice* device();
  /// Call it after all work has its times: reports the results; the device is then idle.
  void close();
  /// A new context begins, after close(): nothing is in the caches. Launches are numbered on.
  void renew();
  /// A fill or a copy wrote to device memory: the next kernel may find it in the caches.
  void written(std::uint64_t address, std::uint64_t bytes, bool from_host);
  /// Launches are executed and nothing else: not timed, not recorded.
  bool only_executes() const;
  /// From now on the calling thread alone times kernels.
  void work_alone();
  /// Call it at the end of the process. Removes the folder of traces that nobody wants, if the process made one.
  void remove_folder();
  SessionLog& log();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sassim::cuda
