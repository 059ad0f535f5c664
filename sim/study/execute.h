// SPDX-License-Identifier: Apache-2.0
// Runs a CUDA program on the simulated GPU: the program gets our runtime in place of CUDA's, and leaves its results in
// a session folder.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/error.h"
#include "sim/config/gpu_config.h"
#include "sim/report/result.h"
#include "sim/study/guarded_program.h"
#include "sim/study/session_results.h"
#include "sim/study/stop_signals.h"

namespace sassim::study {

struct ExecuteOptions {
  std::vector<std::string> command;  ///< program and arguments
  std::string trace_dir;             ///< keep a trace of each launch here (trace_folder.h); empty: none
  bool timing = true;
  unsigned threads = 1;
  std::string caches = "keep";
  std::string live = "auto";  ///< which kernels are executed when they are timed: auto, always, never
  std::uint64_t max_instructions = 0;
  std::optional<std::uint64_t> watchdog;  ///< emu::LaunchConfig; absent: its default
  std::string wait_graph;                 ///< if a kernel makes no progress, who waits for whom, as DOT; empty: no file
  std::size_t series = 0;                 ///< arch::RunOptions
  bool strict_memory = false;             ///< accesses beside an allocation are faults, also in mapped pages
  bool progress_line = false;             ///< the program's processes draw how far a kernel is, on a terminal
  std::function<void(const std::string&)> snapshot;  ///< gets what is known when SIGUSR1 asks for it
  std::string runtime;                               ///< the libcudart to use; empty: the one built with this command
};

struct ExecuteResult {
  ProgramEnd program;
  SessionSummary session;
  std::optional<ExitStatus> ended;   ///< the simulation, not the program, ended a process
  std::string trace_dir;             ///< where the traces are
  std::vector<std::string> notices;  ///< lines for the user
  bool complete = true;              ///< every kernel that was begun has its result, and nobody stopped the program
  report::HostReport host;
};

/// Hands each kernel to `sink` when the program has ended, in whatever way; a signal that asks for a stop ends it.
/// Throws InputError (no such program) and NotSupported (static runtime, another runtime version).
ExecuteResult execute(const config::GpuConfig& config, const ExecuteOptions& options, StopSignals& signals,
                      const std::function<void(const report::KernelReport&)>& sink);

/// What a program is linked with, read from its ELF headers.
struct ProgramKind {
  bool elf = false;
  bool bits32 = false;
  bool dynamic = false;          ///< it loads shared libraries
  bool has_device_code = false;  ///< a fat binary section
  std::string runtime;           ///< "libcudart.so.11.0", or empty: not linked with the shared runtime
  bool driver = false;           ///< needs libcuda.so.1
  bool loads_driver = false;     ///< names libcuda.so.1, as the static runtime does, to load it by itself
  std::string search_path;       ///< DT_RPATH: libraries are looked for there first
};
ProgramKind inspect_program(const std::string& path);

/// One line: no call came from this program, and what may be the reason.
std::string why_no_calls(const std::string& path, const ProgramKind& kind);

}  // namespace sassim::study
