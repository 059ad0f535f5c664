// SPDX-License-Identifier: Apache-2.0
// Which line of CUDA source an instruction comes from: the .debug_line section that nvcc -lineinfo leaves in a cubin
// (DWARF, version 2 to 4).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/isa/cubin.h"

namespace sassim::isa {

struct SourceLine {
  std::uint32_t file = 0;  ///< index into LineTable::files
  std::uint32_t line = 0;  ///< 0: not known
};

struct LineTable {
  std::vector<std::string> files;  ///< the first is empty: not known
  std::vector<SourceLine> lines;   ///< by instruction of the function
};

/// Of the function in this section; empty where the cubin has no line information, or one that is damaged: what a
/// debugger would not show is no reason not to run the program.
LineTable read_line_table(const Cubin& cubin, const CubinKernel& kernel);

}  // namespace sassim::isa
