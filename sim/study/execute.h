// SPDX-License-Identifier: Apache-2.0
// Runs a CUDA program on the simulated GPU: the program gets our runtime in place of CUDA's, and leaves its results in
// a session folder.
#pragma once

#include <string>
#include <vector>

#include "sim/config/gpu_config.h"
#include "sim/report/result.h"

namespace sassim::study {

struct ExecuteOptions {
  std::vector<std::string> command;  ///< program and arguments
  std::string trace_dir;             ///< keep a trace of each launch here; empty: none
  bool timing = true;
  unsigned threads = 1;
  std::string caches = "keep";
  std::uint64_t max_instructions = 0;
  bool strict_memory = false;  ///< accesses beside an allocation are faults, also in mapped pages
  std::string runtime;  ///< the libcudart to use; empty: the one built with this command
};

struct ExecuteResult {
  report::RunReport report;
  int program_status = 0;  ///< as the shell would see it
};

/// Throws InputError (no such program), NotSupported (static runtime, another runtime version) and what the simulation
/// ended with.
ExecuteResult execute(const config::GpuConfig& config, const ExecuteOptions& options);

/// What a program is linked with, read from its ELF headers.
struct ProgramKind {
  bool elf = false;
  bool has_device_code = false;  ///< a fat binary section
  std::string runtime;           ///< "libcudart.so.11.0", or empty: not linked with the shared runtime
};
ProgramKind inspect_program(const std::string& path);

}  // namespace sassim::study
