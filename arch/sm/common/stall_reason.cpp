// SPDX-License-Identifier: Apache-2.0
// The table of stall reasons: the name of each, the part of the SM that causes it, and its meaning.
#include "arch/sm/common/stall_reason.h"

#include <array>

namespace sassim::arch {

namespace {

constexpr std::array<StallRow, kStallReasons> kRows{{
    {StallReason::selected, "selected", "issue", "the warp issued an instruction"},
    {StallReason::not_selected, "not_selected", "issue", "the warp could issue, but another one was chosen"},
    {StallReason::wait, "wait", "issue", "the stall count of the warp's last instruction has not run out"},
    {StallReason::long_scoreboard, "long_scoreboard", "dependence",
     "the wait mask names a counter held by a global, local or texture access"},
    {StallReason::short_scoreboard, "short_scoreboard", "dependence",
     "the wait mask names a counter held by shared memory, special math or another unit behind the MIO queue"},
    {StallReason::lg_throttle, "lg_throttle", "memory queue",
     "the block's memory queue is full and the instruction is a global or local access"},
    {StallReason::mio_throttle, "mio_throttle", "memory queue",
     "the queue in front of shared memory, special math or the other MIO units is full"},
    {StallReason::tex_throttle, "tex_throttle", "memory queue",
     "the queue is full and the instruction is a texture access"},
    {StallReason::math_pipe_throttle, "math_pipe_throttle", "pipes", "the input of the wanted math pipe is busy"},
    {StallReason::dispatch_stall, "dispatch_stall", "allocate",
     "an earlier instruction holds Control: register read ports, or the scheduler waits for a constant"},
    {StallReason::barrier, "barrier", "barrier unit", "the warp waits for the other warps of its thread block"},
    {StallReason::membar, "membar", "memory", "the warp waits for a memory barrier"},
    {StallReason::branch_resolving, "branch_resolving", "branch unit",
     "the warp waits for the target of a branch that has not been resolved"},
    {StallReason::no_instruction, "no_instruction", "front end", "the warp's instruction buffer is empty"},
    {StallReason::imc_miss, "imc_miss", "constant cache",
     "an operand in constant memory missed the cache of immediate constants"},
    {StallReason::sleeping, "sleeping", "issue", "the warp sleeps (NANOSLEEP)"},
    {StallReason::drain, "drain", "memory", "after EXIT the warp waits for its stores to leave for the L2"},
    {StallReason::starting, "starting", "block scheduler", "the warp has been placed and does not fetch yet"},
    {StallReason::no_warp, "no_warp", "block scheduler", "no warp is resident (issue slots only)"},
}};

consteval bool complete() {
  for (std::size_t i = 0; i < kRows.size(); ++i)
    if (index(kRows[i].reason) != i || kRows[i].name.empty() || kRows[i].meaning.empty()) return false;
  return true;
}
static_assert(complete(), "every stall reason has its row, in the order of the enumeration");

}  // namespace

const StallRow& stall_row(StallReason reason) { return kRows[index(reason)]; }

}  // namespace sassim::arch
