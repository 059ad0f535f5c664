// SPDX-License-Identifier: Apache-2.0
// The parts of a row of StaticCode: each function works out what one subject says about an instruction.
#pragma once

#include <vector>

#include "arch/sm/fetch/static_code.h"

namespace sassim::arch {

/// Whether the instruction goes through the memory queue.
bool is_memory(isa::OpClass op);
void place_memory(StaticInstruction& row, const isa::Decoded& decoded);
/// Pipe, latency and interval of other instructions. Throws InputError for a pipe that does not exist.
void place_pipe(StaticInstruction& row, const isa::Decoded& decoded, const config::Pipes& pipes);
/// Registers, their banks, and constants.
void place_registers(StaticInstruction& row, const isa::Decoded& decoded, const config::RegisterFile& file);
/// What else the instruction does when it issues: see Action.
void place_action(StaticInstruction& row, const isa::Instruction& instruction, const isa::Decoded& decoded,
                  const config::GpuConfig& config);
/// A DEPBAR.LE right behind an LDGDEPBAR sees the counter too, so the instruction behind it waits.
void place_group_waits(std::vector<StaticInstruction>& rows, bool scoreboard);
/// Registers and predicates by name, for the scoreboard mode.
ScoreboardUse registers_used(const isa::Decoded& decoded);

}  // namespace sassim::arch
