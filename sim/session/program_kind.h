// SPDX-License-Identifier: Apache-2.0
// What a CUDA program is linked with, which decides whether it can run on the simulated GPU.
#pragma once

#include <string>

namespace sassim::session {

/// What a program is linked with, from its ELF headers.
struct ProgramKind {
  bool elf = false;
  bool bits32 = false;
  bool dynamic = false;          ///< it uses shared libraries
  bool has_device_code = false;  ///< it has a fat binary section
  std::string runtime;           ///< "libcudart.so.11.0", or empty: not linked with the shared runtime
  bool loads_driver = false;     ///< contains the name libcuda.so.1 in order to load it, as the static runtime does
  std::string closed_library;    ///< a shared library that has NVIDIA's runtime inside; empty: none
  std::string search_path;       ///< DT_RPATH: the folders that are searched first
};
ProgramKind inspect_program(const std::string& path);

/// How a program is compiled for this runtime. Names the nvcc of another CUDA if it comes first on the PATH.
std::string how_to_compile();
/// One line: the program made no CUDA call, and the possible reason.
std::string why_no_calls(const std::string& path, const ProgramKind& kind);

}  // namespace sassim::session
