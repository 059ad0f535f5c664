// SPDX-License-Identifier: Apache-2.0
// The table of causes that may bound a kernel, with their names, meanings and advice.
#include <array>

#include "sim/report/bound.h"

namespace sassim::report {

namespace {

constexpr std::size_t kCauses = static_cast<std::size_t>(Cause::count_);

constexpr std::array<CauseRow, kCauses> kCauseRows{{
    {Cause::launch, "launch", "the launch", "the time before the first block starts", {"no launch"}},
    {Cause::write_drain,
     "write_drain",
     "writes that drain",
     "stores are still in flight after the last block has ended",
     {"double DRAM", "double L2"}},
    {Cause::tail, "tail", "the tail", "the last blocks leave most of the GPU empty", {"double SMs"}},
    {Cause::dram, "dram", "DRAM", "DRAM moves nearly as many bytes as it can", {"double DRAM", "perfect L1"}},
    {Cause::l2, "l2", "the L2", "the L2 moves nearly as many bytes as it can", {"double L2", "perfect L1"}},
    {Cause::atomics,
     "atomics",
     "atomics on few addresses",
     "atomics on few addresses wait for each other in the L2",
     {"fast atomics"}},
    {Cause::l1, "l1", "the L1", "the L1 and shared memory move nearly as many bytes as they can", {}},
    {Cause::shared_memory,
     "shared_memory",
     "the latency of shared memory",
     "warps wait for shared memory that is not busy",
     {}},
    {Cause::bank_conflicts,
     "bank_conflicts",
     "bank conflicts",
     "lanes of one access need different words of one bank of shared memory",
     {"no bank conflicts"}},
    {Cause::uncoalesced,
     "uncoalesced",
     "uncoalesced accesses",
     "lanes of one access touch many sectors",
     {"coalesced accesses"}},
    {Cause::fp64, "fp64", "FP64 arithmetic", "the FP64 pipe is busy", {"32-lane pipes"}},
    {Cause::pipe, "pipe", "a math pipe", "a math pipe is busy", {"32-lane pipes"}},
    {Cause::tensor, "tensor", "the tensor pipe", "the pipe for matrix instructions is busy", {}},
    {Cause::uniform, "uniform", "the uniform datapath", "the datapath that computes one result per warp is busy", {}},
    {Cause::control,
     "control",
     "a control unit",
     "the unit for branches, or that for barriers and special registers, is busy",
     {}},
    {Cause::issue, "issue", "issue", "nearly every cycle issues an instruction", {}},
    {Cause::divergence,
     "divergence",
     "divergence",
     "instructions are executed for few of a warp's threads",
     {"full warps"}},
    {Cause::instruction_cache,
     "instruction_cache",
     "instruction cache misses",
     "warps wait for their next instruction",
     {"perfect instruction cache"}},
    {Cause::constants, "constants", "constant cache misses", "warps wait for constants", {"perfect constant cache"}},
    {Cause::occupancy,
     "occupancy",
     "low occupancy",
     "too few warps fit an SM to hide latency",
     {"no register limit", "perfect L1"}},
    {Cause::latency, "latency", "memory latency", "warps wait for memory that is not busy", {"perfect L1"}},
    {Cause::barrier, "barrier", "barriers", "warps wait for other warps of their block", {"open barriers"}},
    {Cause::dependences,
     "dependences",
     "dependent arithmetic",
     "warps wait for results of their own arithmetic",
     {"instant results"}},
    {Cause::fence, "fence", "memory fences", "warps wait for memory fences", {}},
    {Cause::sleep, "sleep", "sleeping warps", "warps sleep", {}},
    {Cause::unknown, "unknown", "nothing in particular", "no part stands out", {}},
}};

consteval bool in_order() {
  for (std::size_t i = 0; i < kCauses; ++i)
    if (static_cast<std::size_t>(kCauseRows[i].cause) != i || kCauseRows[i].name.empty()) return false;
  return true;
}
static_assert(in_order(), "every cause has its row, in the order of the enumeration");

}  // namespace

const CauseRow& cause_row(Cause cause) { return kCauseRows[static_cast<std::size_t>(cause)]; }

}  // namespace sassim::report
