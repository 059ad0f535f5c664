// SPDX-License-Identifier: Apache-2.0
// The functions that compute a row of StaticCode, which is what the SM must know about one instruction of a kernel: a
// function for each aspect.
#pragma once

#include <vector>

#include "arch/sm/code/static_code.h"
#include "sim/config/forward.h"

namespace sassim::arch {

/// Queue and stall reasons of an instruction that a unit of the SM executes.
void place_unit(StaticInstruction& row, const isa::Decoded& decoded, const config::Sm& sm);
/// Pipe, latency and interval of other instructions. Throws InputError for an unknown pipe.
void place_pipe(StaticInstruction& row, const isa::Decoded& decoded, const config::Sm& sm);
/// Registers, their banks, and constants.
void place_registers(StaticInstruction& row, const isa::Decoded& decoded, const config::RegisterFile& file);
/// What the instruction also does when it issues: see Action.
void place_action(StaticInstruction& row, const isa::Instruction& instruction, const isa::Decoded& decoded,
                  const config::GpuConfig& config);
/// Gives a DEPBAR.LE on a counter of LDGDEPBAR the action wait_groups: it issues, and then its warp waits. So it takes
/// account of an LDGDEPBAR directly before it.
void place_group_waits(std::vector<StaticInstruction>& rows, bool scoreboard);
/// Finds the instructions whose control bits let the next one issue in the same cycle, if their pipes allow it.
void place_pairs(std::vector<StaticInstruction>& rows, const trace::KernelInfo& kernel, const config::Sm& sm);
/// Registers and predicates by name, for the scoreboard.
ScoreboardUse registers_used(const isa::Decoded& decoded);
/// How much later than the latency the instruction may use results of other pipes, and a predicate as its guard.
void place_forwarding(ScoreboardUse& use, const StaticInstruction& row, const isa::Guard& guard,
                      const config::Pipes& pipes);

}  // namespace sassim::arch
