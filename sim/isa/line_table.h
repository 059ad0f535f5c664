// SPDX-License-Identifier: Apache-2.0
// The CUDA source line of each instruction, from the .debug_line section that nvcc -lineinfo writes (DWARF, versions 2
// to 4).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/isa/cubin.h"

namespace sassim::isa {

struct SourceLine {
  std::uint32_t file = 0;  ///< index into LineTable::files
  std::uint32_t line = 0;  ///< 0: unknown
};

struct LineTable {
  std::vector<std::string> files;  ///< the first entry is empty: unknown
  std::vector<SourceLine> lines;   ///< by instruction of the function
  std::vector<SourceLine> calls;   ///< as many; where the kernel calls the inlined function that the line is in
};

/// The line table of a function. Empty if the cubin has no line information or a damaged one: a program can run without
/// it.
LineTable read_line_table(const Cubin& cubin, const CubinKernel& kernel);

}  // namespace sassim::isa
