// SPDX-License-Identifier: Apache-2.0
// The lines of an Accel-Sim trace (.traceg), as the public NVBit tracer, versions 3 to 5, and its post-processing write
// them: header lines "-key = value", then per block "#BEGIN_TB" .. "#END_TB" with "warp = n", "insts = n" and a line
// per executed instruction:
//   [line_num] PC mask dest_num [dests] opcode src_num [srcs] mem_width [mode addresses] [immediate]
// PC, mask and addresses are hexadecimal; the mask holds the active threads whose guard is true.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "sim/base/types.h"
#include "sim/trace/line_reader.h"

namespace sassim::trace {

struct TracegHeader {
  std::string name;
  Dim3 grid{0, 0, 0}, block{0, 0, 0};
  std::uint32_t shared = 0, registers = 0;
  int sm = 0;
  int version = 0;
  std::uint64_t shared_base = 0, local_base = 0;  ///< where the windows of shared and local memory begin
  bool line_numbers = false;                      ///< each instruction begins with its source line
};

/// Reads up to the first line that begins with '#'. Throws InputError with file and line.
TracegHeader read_traceg_header(LineReader& in);

struct TracegInstruction {
  std::uint32_t pc = 0;
  std::uint32_t mask = 0;
  std::string_view opcode;    ///< with modifiers
  std::string_view operands;  ///< from dest_num to the last source, as printed
  std::array<std::uint8_t, 2> dests{};
  std::array<std::uint8_t, 8> sources{};
  unsigned dest_count = 0, source_count = 0;
  bool has_addresses = false;
  std::array<std::uint64_t, kWarpSize> addresses{};
};

/// `line_numbers`: as in the header. Throws InputError with file and line.
void parse_traceg_instruction(const LineReader& in, std::string_view line, bool line_numbers, TracegInstruction& out);

}  // namespace sassim::trace
