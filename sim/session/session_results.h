// SPDX-License-Identifier: Apache-2.0
// Reads what the program's processes wrote to the session folder (sim/cuda/session_log.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "sim/report/result.h"
#include "sim/session/session_ledger.h"

namespace sassim::session {

/// Kernels in several streams.
struct StreamKernels {
  std::uint64_t kernels = 0, streams = 0;
  std::uint64_t waited = 0;  ///< kernels that were ready while a kernel of another stream ran, and waited for its end
  std::uint64_t beside = 0;  ///< kernels that ran beside others
  bool serial = false;       ///< kernels ran one at a time, as was asked for
};

/// Launches of one process that had begun, and had no result, when the process ended.
struct Unfinished {
  std::string process;                   ///< "1", or "1.2"
  report::RunningKernel kernel;          ///< the one that ran
  std::uint64_t more = 0;                ///< that waited behind it
  std::string text(bool mangled) const;  ///< a line for the user
};

/// Launches that were not timed, and have the reports of launches like them (--sample-launches).
struct LeftOut {
  std::uint64_t launches = 0;
  double cycles = 0;   ///< of all launches, timed ones too
  double squares = 0;  ///< of the half intervals that are independent: of each stratum, and of each launch in it
  /// The 95 % interval of the cycles of all launches is plus and minus this.
  double interval_pct() const;
};

struct SessionSummary {
  bool called = false;  ///< a process loaded the runtime and registered with it
  std::uint64_t kernels = 0, faults = 0;
  std::string first_fault;             ///< its message
  std::vector<Unfinished> unfinished;  ///< by process
  std::uint64_t missing = 0;           ///< launches that left no trace in the logs
  std::string why_missing;
  StreamKernels streams;  ///< empty if streams made no difference
  std::uint64_t warp_instructions = 0;
  std::uint64_t untimed = 0;  ///< launches that were not chosen to be timed
  LeftOut left_out;
  std::uint64_t reused = 0;  ///< launches with the result of an equal one; their instructions do not count here
  double seconds = 0;        ///< host time of the model
};

/// The progress of the running kernels, for a snapshot. `mangled`: their names are shown as the program has them.
std::string session_progress(const std::filesystem::path& folder, bool mangled);

/// The disassemblers that processes of the session ran.
std::vector<std::string> used_disassemblers(const std::filesystem::path& folder);

/// Passes each kernel to `sink`: first those of process 1, then those of its forks, then process 2 and so on, in launch
/// order. One kernel is in memory at a time. `ledger`: nullptr if there is none.
SessionSummary read_session(const std::filesystem::path& folder,
                            const std::function<void(const report::KernelReport&)>& sink,
                            const SessionLedger* ledger = nullptr);

}  // namespace sassim::session
