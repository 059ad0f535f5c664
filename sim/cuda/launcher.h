// SPDX-License-Identifier: Apache-2.0
// Runs a launch: executed while the model times it (live), or executed and recorded as a trace that the model then
// times.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "sim/config/gpu_config.h"
#include "sim/cuda/session_log.h"
#include "sim/cuda/timeline.h"
#include "sim/emu/core/emulator.h"

namespace sassim::cuda {

/// Which kernels are executed when they are timed: those whose path can depend on time, all, or none.
enum class LiveKernels : std::uint8_t { timed_paths, all, none };
/// "auto", "always", "never".
LiveKernels live_kernels(const std::string& name);

/// What `sassim exec` asks for, through the environment.
struct LaunchOptions {
  std::string session_dir;  ///< where results go (SASSIM_SESSION, see session_log.h)
  std::string trace_dir;    ///< --save-traces: each launch as NNNN-kernel.sast
  bool timing = true;       ///< false: functional only
  unsigned threads = 1;
  std::string caches = "keep";  ///< or cold, warm, or replay: keep, after a run of the same kernel that does not count
  std::uint64_t max_instructions = 0;
  std::size_t series = 0;  ///< arch::RunOptions
  bool allow_arch_mismatch = false;
  LiveKernels live = LiveKernels::timed_paths;
  std::uint64_t watchdog = emu::kWatchdog;  ///< emu::LaunchConfig
  bool strict_memory = false;               ///< accesses beside an allocation are faults
  bool serial = false;                      ///< one kernel at a time
  bool progress_line = false;               ///< draw how far a launch is, if standard error is a terminal
  bool mangled_names = false;               ///< there, show names of kernels as the program has them
};

class Launcher {
 public:
  Launcher(const config::GpuConfig& gpu, emu::DeviceMemory& memory, LaunchOptions options);
  ~Launcher();

  /// A stream as the results name it.
  struct StreamName {
    std::uint64_t number = 0;
    bool ordered = true;  ///< it and the legacy default stream wait for each other
  };
  /// What became of a launch.
  struct Launched {
    std::optional<std::uint64_t> kernel;  ///< it will run side by side with others: the KernelDevice's name
    Picoseconds duration;                 ///< else: for how long the device was busy
  };
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
