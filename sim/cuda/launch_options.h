// SPDX-License-Identifier: Apache-2.0
// How kernel launches of a program run: timed or not, with what caches, on how many threads. `sassim exec` asks for it
// through the environment (session_options.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "sim/emu/core/emulator.h"
#include "sim/pattern/launch_choice.h"

namespace sassim::cuda {

/// Which kernels are executed when they are timed: those whose path can depend on time, all, or none.
enum class LiveKernels : std::uint8_t { timed_paths, all, none };
/// "auto", "always", "never".
LiveKernels live_kernels(const std::string& name);

struct LaunchOptions {
  unsigned device = 0;                ///< its number in the process
  std::string session_dir;            ///< where results go (session_log.h); empty: no command waits for them
  std::string trace_dir;              ///< --save-traces: each launch as NNNN-kernel.sast
  bool timing = true;                 ///< false: functional only
  std::optional<LaunchWish> timed{};  ///< only these launches are timed; absent: all
  unsigned threads = 1;
  std::string caches = "keep";  ///< or cold, warm, or replay: keep, after a run of the same kernel that does not count
  std::uint64_t max_instructions = 0;
  std::size_t series = 0;  ///< arch::RunOptions
  double sample = 0;       ///< arch::RunOptions
  double mean = 0;         ///< how well the mean of a stratum is to be known (LaunchStrata); 0: every launch is timed
  LiveKernels live = LiveKernels::timed_paths;
  std::uint64_t watchdog = emu::kWatchdog;  ///< emu::LaunchConfig
  bool strict_memory = false;               ///< accesses beside an allocation are faults
  bool reuse = true;                        ///< Gpu::reuse_results()
  bool serial = false;                      ///< one kernel at a time
  bool progress_line = false;               ///< say on standard error how far a launch is (replay::ProgressLine)
  bool mangled_names = false;               ///< there, show names of kernels as the program has them
};

}  // namespace sassim::cuda
