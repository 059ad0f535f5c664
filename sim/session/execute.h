// SPDX-License-Identifier: Apache-2.0
// Runs a CUDA program on the simulated GPU: the program loads the simulator's runtime instead of CUDA's, and writes its
// results to a session folder.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/error.h"
#include "sim/base/stop_signals.h"
#include "sim/config/gpu_config.h"
#include "sim/pattern/launch_choice.h"
#include "sim/report/result.h"
#include "sim/session/guarded_program.h"
#include "sim/session/session_results.h"

namespace sassim::session {

inline constexpr unsigned kMostDevices = 16;  ///< GPUs of a process

struct ExecuteOptions {
  std::vector<std::string> command;  ///< program and arguments
  std::string trace_dir;             ///< folder for a trace of each launch (trace_folder.h); empty: no traces
  bool timing = true;
  std::optional<LaunchWish> timed = {};  ///< only these launches are timed; absent: all
  unsigned threads = 1;
  unsigned devices = 1;                                 ///< GPUs of each process
  std::vector<config::GpuConfig> further_configs = {};  ///< of the devices from 1 on; those without one are as device 0
  std::string caches = "keep";
  std::string live = "auto";  ///< which kernels are executed when they are timed: auto, always, never
  std::uint64_t max_instructions = 0;
  std::optional<std::uint64_t> watchdog;  ///< emu::LaunchConfig; absent: its default
  std::string wait_graph;                 ///< if a kernel makes no progress, who waits for whom, as DOT; empty: no file
  std::size_t series = 0;                 ///< most intervals of counters over time, as in arch::RunOptions
  double sample = 0;                      ///< share of the thread blocks that is timed, as in arch::RunOptions
  double mean = 0;                        ///< --sample-launches: half of the 95 % interval, as a part; 0: all are timed
  bool reuse = true;                      ///< results of equal launches (--no-skip)
  bool serial = false;                    ///< kernels run one at a time, also those of several streams
  bool strict_memory = false;             ///< true: an access outside allocations is a fault, also in mapped pages
  bool memcheck = false;                  ///< look for errors in memory; requires that timing is off
  bool mangled_names = false;             ///< kernels have the program's names in progress lines, notices and snapshots
  std::function<void(const std::string&)> snapshot;  ///< receives the current state when SIGUSR1 asks for a snapshot
  /// Receives the folder with a trace of each launch after the program has ended. Without `trace_dir` it is a folder
  /// that is removed afterwards, and results do not name it.
  std::function<void(const std::filesystem::path&)> with_traces;
  std::string runtime;  ///< the libcudart to use; empty: the one built with this command
};

struct ExecuteResult {
  ProgramEnd program;
  SessionSummary session;
  std::optional<ExitStatus> ended;   ///< exit status, if the simulation and not the program ended a process
  std::string trace_dir;             ///< the folder of the traces
  std::vector<std::string> notices;  ///< lines for the user
  bool complete = true;              ///< every kernel that began has a result, and the program was not stopped
  report::HostReport host;
  std::vector<std::string> disassemblers;  ///< the programs that printed the code
};

/// Passes each kernel to `sink` after the program has ended, for whatever reason. A signal that asks for a stop ends
/// the program. Throws InputError (no such program) and NotSupported (static runtime, another runtime version).
ExecuteResult execute(const config::GpuConfig& config, const ExecuteOptions& options, StopSignals& signals,
                      const std::function<void(const report::KernelReport&)>& sink);

}  // namespace sassim::session
