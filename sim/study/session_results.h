// SPDX-License-Identifier: Apache-2.0
// What the processes of a program left in the session's folder (sim/cuda/session_log.h writes it).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "sim/report/result.h"

namespace sassim::study {

/// Kernels that the program gave to several streams, and that ran one after the other.
struct SerialisedKernels {
  std::uint64_t kernels = 0, streams = 0;
  std::uint64_t waited = 0;  ///< kernels that were ready while another stream's had the device
};

struct SessionSummary {
  bool called = false;  ///< some process loaded the runtime and registered with it
  std::uint64_t kernels = 0, faults = 0;
  std::string first_fault;       ///< its message
  std::string unfinished;        ///< a kernel that was running when its process ended; empty: none
  SerialisedKernels serialised;  ///< no kernels: streams did not matter
  std::uint64_t warp_instructions = 0;
  double seconds = 0;  ///< that the model took
};

/// How far the kernels are that run now, in words; for a snapshot while the program runs.
std::string session_progress(const std::filesystem::path& folder);

/// Hands each kernel to `sink`: those of process 1, then of those that it forked, then of process 2, ..., each in the
/// order of its launches. One kernel is in memory at a time.
SessionSummary read_session(const std::filesystem::path& folder,
                            const std::function<void(const report::KernelReport&)>& sink);

}  // namespace sassim::study
