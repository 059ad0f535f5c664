// SPDX-License-Identifier: Apache-2.0
// Executes branches, calls, exits, convergence, sleeps, barriers of blocks and clusters, traps, and fences.
#include <fmt/format.h>

#include <algorithm>

#include "sim/emu/core/builtins.h"
#include "sim/emu/core/cluster.h"
#include "sim/emu/core/machine.h"
#include "sim/emu/core/semantics.h"

namespace sassim::emu {
namespace {

using isa::OperandKind;

std::uint32_t conditional(const Context& c, const MicroOp& op, std::uint32_t mask) {
  return mask & c.predicate(op.psrc[0]);
}

void jump(Context& c, const MicroOp& op, std::uint32_t mask) { branch(c, conditional(c, op, mask), op.target); }

/// BRA.ANY: all lanes branch if one lane's condition is true.
void jump_any(Context& c, const MicroOp& op, std::uint32_t mask) {
  if (conditional(c, op, mask) != 0) branch(c, c.fragment->mask, op.target);
}

/// BRA.DIV: taken unless all threads that the operand names are in this fragment and their condition is true. Then all
/// threads of the fragment branch (validation/measured/h200/instructions.md#branches).
void jump_divergent(Context& c, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t wanted = fetch_uniform(c, op.src[0]) & c.warp.alive;
  if ((wanted & ~mask) != 0) branch(c, c.fragment->mask, op.target);
}

/// BRA.CONV: taken if they are.
void jump_convergent(Context& c, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t wanted = fetch_uniform(c, op.src[0]) & c.warp.alive;
  if ((wanted & ~c.fragment->mask) == 0) branch(c, mask, op.target);
}

/// The target is a 32-bit register plus a constant, in bytes from the start of the kernel.
void jump_indirect(Context& c, const MicroOp& op, std::uint32_t mask) {
  mask = conditional(c, op, mask);
  if (mask == 0) return;
  Lanes scratch;
  const std::uint32_t* offset = fetch_raw(c, op.src[0], scratch);
  std::uint32_t targets[32] = {};
  for_lanes(mask, [&](int lane) {
    targets[lane] = code_index(c, op, lane, static_cast<std::int32_t>(offset[lane]) + op.relative);
  });
  branch_each(c, targets, mask);
}

/// CALL.REL with a register, which is how a function pointer is called: 64 bits, in bytes from the start of the kernel.
/// No function begins there, so that 0 is the null pointer: an H200 starts the kernel again, for ever
/// (validation/measured/h200/launches.md#runtime-limits).
void call_indirect(Context& c, const MicroOp& op, std::uint32_t mask) {
  mask = conditional(c, op, mask);
  if (mask == 0) return;
  Lanes64 scratch;
  const std::uint64_t* offset = fetch64(c, op.src[0], scratch, false);
  std::uint32_t targets[32] = {};
  for_lanes(mask, [&](int lane) {
    const std::int64_t goal = static_cast<std::int64_t>(offset[lane]) + op.relative;
    if (goal == 0)
      c.fault(FaultKind::invalid_pc, op, lane, 0, "call of a null function pointer (a GPU may start the kernel again)");
    targets[lane] = code_index(c, op, lane, goal);
  });
  branch_each(c, targets, mask);
}

/// The target is a 64-bit code address.
void jump_absolute(Context& c, const MicroOp& op, std::uint32_t mask) {
  mask = conditional(c, op, mask);
  if (mask == 0) return;
  Lanes64 scratch;
  const std::uint64_t* address = fetch64(c, op.src[0], scratch, false);
  std::uint32_t targets[32] = {};
  for_lanes(mask, [&](int lane) {
    const std::uint64_t goal = address[lane] + static_cast<std::uint64_t>(op.relative);
    if (is_builtin(goal)) {
      call_builtin(c, op, goal, lane);
      const std::uint64_t back = c.read_row(20)[lane] | std::uint64_t{c.read_row(21)[lane]} << 32;
      targets[lane] = code_index_at(c, op, lane, back);
    } else {
      targets[lane] = code_index_at(c, op, lane, goal);
    }
  });
  branch_each(c, targets, mask);
}

/// The address of the code at `pc`, which counts from the start of the kernel.
std::uint64_t address_of(const Kernel& kernel, std::uint64_t pc) {
  const auto found = std::find_if(kernel.regions.begin(), kernel.regions.end(),
                                  [&](const CodeRegion& region) { return pc - region.offset < region.bytes; });
  return found == kernel.regions.end() ? 0 : found->address + (pc - found->offset);
}

/// ptxas of CUDA 12 makes the return address of a call through a table with it.
void exec_lepc(Context& c, const MicroOp& op, std::uint32_t mask) {
  const Kernel& kernel = *c.grid.kernel;
  Lanes64 address;
  std::fill(std::begin(address.v), std::end(address.v), address_of(kernel, kernel.layout().pc(op.target)));
  c.write64(op.dst, address, mask);
}
void decode_lepc(Decoder& d) {
  d.op.dst = d.destination();
  d.op.target = d.left() > 0 ? d.branch_target() : d.op.index;
  d.op.execute = exec_lepc;
}

void decode_branch(Decoder& d) {
  const bool divergent = d.take("DIV"), convergent = d.take("CONV");
  d.ignore({"U", "UNLIKELY", "LIKELY", "INC", "DEC"});
  if (divergent || convergent) {
    d.op.src[0].kind = SourceKind::imm;
    d.op.src[0].value = kAllLanes;
    if (d.left() > 1) d.op.src[0] = d.source();
    d.op.execute = divergent ? jump_divergent : jump_convergent;
  } else {
    d.op.execute = d.take("ANY") ? jump_any : jump;
    d.op.psrc[0] = d.optional_predicate(true);
  }
  d.op.target = d.branch_target();
}

void decode_indirect(Decoder& d, bool relative_to_next) {
  d.op.psrc[0] = d.optional_predicate(true);
  d.op.src[0] = d.source();
  if (d.left() > 0) d.op.relative = d.next().value;
  if (relative_to_next) d.op.relative += d.instruction().pc + d.layout().instruction_bytes();
  d.op.execute = jump_indirect;
}

void decode_brx(Decoder& d) { decode_indirect(d, true); }

void decode_absolute(Decoder& d) {
  d.op.psrc[0] = d.optional_predicate(true);
  d.op.execute = jump_absolute;
  if (d.next_is(OperandKind::label) || d.next_is(OperandKind::imm)) {
    d.op.src[0].kind = SourceKind::imm;
    d.op.src[0].value = static_cast<std::uint64_t>(d.next().value);
    return;
  }
  d.op.src[0] = d.source();
  if (d.left() > 0) d.op.relative = d.next().value;
}

void decode_call(Decoder& d) {
  d.ignore({"NOINC", "INC", "NODEC", "DEC"});
  if (d.take("ABS")) return decode_absolute(d);
  d.ignore({"REL"});
  if (!d.next_is(OperandKind::reg)) d.op.psrc[0] = d.optional_predicate(true);
  if (d.next_is(OperandKind::reg)) {
    decode_indirect(d, false);
    d.op.execute = call_indirect;
    return;
  }
  d.op.target = d.branch_target();
  d.op.execute = jump;
}

void exec_exit(Context& c, const MicroOp& op, std::uint32_t mask) {
  mask = conditional(c, op, mask);
  if (mask != 0) exit_lanes(c, mask);
}
void decode_exit(Decoder& d) {
  d.ignore({"KEEPREFCOUNT", "PREEMPTED", "NO_ATEXIT"});
  d.op.psrc[0] = d.optional_predicate(true);
  d.op.execute = exec_exit;
}

std::uint8_t barrier_operand(Decoder& d) {
  const isa::Operand& operand = d.next();
  if (operand.kind != OperandKind::barrier || operand.index >= 16)
    throw Unsupported{fmt::format("operand '{}' is not a convergence barrier", operand.text)};
  return operand.index;
}

void exec_bssy(Context& c, const MicroOp& op, std::uint32_t mask) { c.warp.convergence[op.mode] |= mask; }
void decode_bssy(Decoder& d) {
  d.ignore({"RECONVERGENT", "RELIABLE"});
  d.op.mode = barrier_operand(d);
  d.op.target = d.branch_target();
  d.op.execute = exec_bssy;
}

void exec_bsync(Context& c, const MicroOp& op, std::uint32_t mask) {
  mask = conditional(c, op, mask);
  if (mask != 0) wait_at_sync(c, op.mode, mask);
}
void decode_bsync(Decoder& d) {
  d.ignore({"RECONVERGENT", "RELIABLE"});
  d.op.psrc[0] = d.optional_predicate(true);
  d.op.mode = barrier_operand(d);
  d.op.execute = exec_bsync;
}

/// Removes the threads from a convergence barrier: no thread waits for them.
void exec_break(Context& c, const MicroOp& op, std::uint32_t mask) {
  mask = conditional(c, op, mask);
  c.warp.convergence[op.mode] &= ~mask;
  release_waiters(c.warp);
  c.fragment = &c.warp.fragments[c.warp.current];  // release_waiters() may have moved it
}
void decode_break(Decoder& d) {
  d.op.psrc[0] = d.optional_predicate(true);
  d.op.mode = barrier_operand(d);
  d.op.execute = exec_break;
}

void exec_bmov_read(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes value;
  std::fill(std::begin(value.v), std::end(value.v), c.warp.convergence[op.mode]);
  c.write(op.dst, value, mask);
  if (op.flags != 0) c.warp.convergence[op.mode] = 0;
}
void exec_bmov_write(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes scratch;
  c.warp.convergence[op.mode] = fetch_raw(c, op.src[0], scratch)[first_lane(mask)];
}
void decode_bmov(Decoder& d) {
  d.ignore({"32"});
  d.op.flags = d.take("CLEAR") ? 1 : 0;
  if (d.next_is(OperandKind::barrier)) {
    d.op.mode = barrier_operand(d);
    d.op.src[0] = d.source();
    d.op.execute = exec_bmov_write;
  } else {
    d.op.dst = d.destination();
    d.op.mode = barrier_operand(d);
    d.op.execute = exec_bmov_read;
  }
}

/// RPC holds two words outside of the register file, in which compiled code keeps a value for a while.
void exec_rpc_read(Context& c, const MicroOp& op, std::uint32_t mask) { c.write(op.dst, c.warp.rpc[op.mode], mask); }
void exec_rpc_write(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes scratch, value;
  std::memcpy(value.v, fetch_raw(c, op.src[0], scratch), sizeof value.v);
  store_lanes(c.warp.rpc[op.mode].v, value, mask);
}
std::uint8_t rpc_operand(Decoder& d) {
  const isa::Operand& operand = d.next();
  if (operand.text != "Rpc.LO" && operand.text != "Rpc.HI")
    throw Unsupported{fmt::format("operand '{}' is not half of Rpc", operand.text)};
  return operand.text == "Rpc.HI" ? 1 : 0;
}
void decode_rpcmov(Decoder& d) {
  if (!d.take("32")) throw Unsupported{"only the 32-bit form is supported"};
  if (d.next_is(OperandKind::reg)) {
    d.op.dst = d.destination();
    d.op.mode = rpc_operand(d);
    d.op.execute = exec_rpc_read;
  } else {
    d.op.mode = rpc_operand(d);
    d.op.src[0] = d.source();
    d.op.execute = exec_rpc_write;
  }
}

std::uint32_t different(const std::uint32_t* values, std::uint32_t lanes) {
  std::uint32_t count = 0;
  for (; lanes != 0; ++count) {
    const std::uint32_t value = values[first_lane(lanes)];
    for_lanes(lanes, [&](int lane) { lanes &= values[lane] == value ? ~(1u << lane) : ~0u; });
  }
  return count;
}

void exec_warpsync(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes scratch;
  const std::uint32_t* masks = fetch_raw(c, op.src[0], scratch);
  if (op.memory && c.step != nullptr) c.record(trace::DetailKind::sync_masks, different(masks, mask));
  wait_at_warp_sync(c, masks, mask, static_cast<WarpSyncKind>(op.mode));
}
void decode_warpsync(Decoder& d) {
  d.ignore({"NOP"});
  const bool exclusive = d.take("EXCLUSIVE"), collective = d.take("COLLECTIVE");
  d.op.mode = static_cast<std::uint8_t>(collective  ? WarpSyncKind::collective
                                        : exclusive ? WarpSyncKind::exclusive
                                                    : WarpSyncKind::plain);
  d.op.src[0].kind = SourceKind::imm;
  d.op.src[0].value = kAllLanes;
  d.op.psrc[0] = d.optional_predicate(true);
  if (!d.take("ALL")) d.op.src[0] = d.source();
  if (d.left() > 0) d.next();  // the end of the collective part
  // The trace records how many different masks the threads have.
  d.op.memory = d.op.src[0].kind == SourceKind::reg;
  d.op.execute = exec_warpsync;
}

void exec_endcollective(Context& c, const MicroOp&, std::uint32_t) { end_collective(c); }
void decode_endcollective(Decoder& d) { d.op.execute = exec_endcollective; }

void exec_yield(Context& c, const MicroOp&, std::uint32_t) { c.outcome = Outcome::yielded; }
void decode_yield(Decoder& d) { d.op.execute = exec_yield; }
void exec_nanosleep(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes scratch;
  const std::uint32_t* times = fetch_raw(c, op.src[0], scratch);
  std::uint32_t longest = 0;
  if (op.mode == 0) for_lanes(mask, [&](int lane) { longest = std::max(longest, times[lane]); });
  c.record(trace::DetailKind::sleep, longest);
  c.outcome = Outcome::yielded;
}
/// SYNCS stands behind a TRYWAIT that names a limit. On an H200 it does not sleep, whatever the limit
/// (validation/measured/h200/shared-memory.md#asynchronous-copies).
void decode_nanosleep(Decoder& d) {
  d.ignore({"WARP"});
  d.op.mode = d.take("SYNCS") ? 1 : 0;
  while (d.left() > 1) d.next();
  d.op.src[0] = d.source();
  // The trace records the duration.
  d.op.memory = true;
  d.op.execute = exec_nanosleep;
}

enum BarrierMode : std::uint8_t { bar_sync, bar_arrive, bar_reduce };

void exec_bar(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes s0, s1;
  const int lane = first_lane(mask);
  std::uint32_t index = fetch_raw(c, op.src[0], s0)[lane];
  std::uint32_t threads = fetch_raw(c, op.src[1], s1)[lane];
  // A register holds both values, as compiled code packs them: the barrier in its lowest bits, the count in bits 16 to
  // 27.
  if (op.src[0].kind == SourceKind::reg) index &= 15;
  if (op.src[1].kind == SourceKind::reg) threads = threads >> 16 & 0xfff;
  if (index >= 16) c.fault(FaultKind::illegal_instruction, op, lane, index, "there are 16 barriers");
  if (c.step != nullptr) {
    c.step->has_addresses = false;
    c.step->detail.set(trace::BlockBarrier{index, threads & trace::BlockBarrier::kMostThreads});
  }
  // Where threads that have diverged wait on a stack, a warp arrives as a whole.
  if (mask != c.fragment->mask && op.mode != bar_arrive)
    c.fault(FaultKind::illegal_instruction, op, lane, index, "barrier in divergent threads of one instruction");
  arrive(c, {.barrier = static_cast<std::uint8_t>(index),
             .threads = threads,
             .lanes = op.flags != 0 ? c.warp.alive : mask,
             .wait = op.mode != bar_arrive,
             .reduce = op.mode == bar_reduce,
             .votes = c.predicate(op.psrc[0]) & mask,
             .reduction = static_cast<BarrierReduction>(op.mode2)});
}
void decode_bar(Decoder& d) {
  d.ignore({"DEFER_BLOCKING"});
  d.op.mode = d.take("ARV") ? bar_arrive : d.take("RED") ? bar_reduce : bar_sync;
  d.op.mode2 = static_cast<std::uint8_t>(d.take_one_of({"POPC", "AND", "OR"}, 0));
  d.ignore({"SYNC"});
  if (d.take("SYNCALL")) throw Unsupported{"BAR.SYNCALL"};
  d.op.flags = d.set() == isa::InstructionSet::sass64 ? 1 : 0;
  d.op.src[0] = d.source();
  if (d.left() > 0 && !d.next_is(OperandKind::pred)) d.op.src[1] = d.source();
  d.op.psrc[0] = d.optional_predicate(true);
  d.op.masked = true;  // threads whose guard is false do not arrive
  // The trace records the register's value.
  d.op.memory = d.op.src[0].kind == SourceKind::reg || d.op.src[1].kind == SourceKind::reg;
  d.op.execute = exec_bar;
}

// UCGABAR: the barrier of a cluster. Without clusters a block is alone in its own.

void exec_cluster_arrive(Context& c, const MicroOp&, std::uint32_t mask) {
  c.warp.cluster_arrived |= mask;
  ++c.grid.changes;
  if (c.block.cluster) check_cluster_barrier(*c.block.cluster);
}
void exec_cluster_wait(Context& c, const MicroOp& op, std::uint32_t mask) {
  if (!c.block.cluster) c.fault(FaultKind::illegal_instruction, op, first_lane(mask), 0, "the launch has no clusters");
  if ((c.warp.cluster_arrived & mask) == 0) return;
  c.fragment->state = FragmentState::at_barrier;
  c.fragment->barrier = kClusterBarrier;
  c.outcome = Outcome::stopped;
}
template <Execute kExecute>
void decode_cluster_barrier(Decoder& d) {
  d.op.masked = true;
  d.op.execute = kExecute;
}

/// B2R.RESULT: reads the count and the truth value of the last reduction.
void exec_b2r(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes count;
  for (std::uint32_t& v : count.v) v = c.warp.reduction_count;
  c.write(op.dst, count, mask);
  c.write_predicate(op.pdst, c.warp.reduction_truth ? kAllLanes : 0u, mask);
}
void decode_b2r(Decoder& d) {
  if (!d.take("RESULT")) throw Unsupported{"only B2R.RESULT is supported"};
  d.op.dst = d.destination();
  d.op.pdst = d.optional_predicate_destination();
  d.op.execute = exec_b2r;
}

void exec_trap(Context& c, const MicroOp& op, std::uint32_t mask) {
  c.fault(FaultKind::trap, op, first_lane(mask), 0, "the kernel executed a trap");
}
void decode_bpt(Decoder& d) {
  if (!d.take("TRAP")) throw Unsupported{"only BPT.TRAP is supported"};
  while (d.left() > 0) d.next();
  d.op.execute = exec_trap;
}

void exec_nothing(Context&, const MicroOp&, std::uint32_t) {}
/// Memory operations take effect in program order here, so that these fences and waits have nothing to do.
void decode_nothing(Decoder& d) {
  for (const std::string& modifier : d.instruction().modifiers) d.take(modifier);
  while (d.left() > 0) d.next();
  d.op.execute = exec_nothing;
}

constexpr Semantics kRows[] = {
    {"BRA", decode_branch},
    {"BRX", decode_brx},
    {"BRXU", decode_brx, Exactness::exact, "", 80},
    {"JMP", decode_absolute},
    {"JMX", decode_absolute},
    {"CALL", decode_call},
    {"RET", decode_call},
    {"LEPC", decode_lepc},
    {"EXIT", decode_exit},
    {"BSSY", decode_bssy},
    {"BSYNC", decode_bsync},
    {"BREAK", decode_break},
    {"BMOV", decode_bmov},
    {"RPCMOV", decode_rpcmov, Exactness::exact, "", 90},
    {"WARPSYNC", decode_warpsync},
    {"YIELD", decode_yield},
    {"NANOSLEEP", decode_nanosleep},
    {"BAR", decode_bar},
    {"B2R", decode_b2r},
    {"UCGABAR_ARV", decode_cluster_barrier<exec_cluster_arrive>, Exactness::exact, "", 90},
    {"UCGABAR_WAIT", decode_cluster_barrier<exec_cluster_wait>, Exactness::exact, "", 90},
    {"BPT", decode_bpt},
    {"NOP", decode_nothing},
    {"MEMBAR", decode_nothing},
    {"ERRBAR", decode_nothing},
    {"CGAERRBAR", decode_nothing, Exactness::exact, "", 90},
    {"CCTL", decode_nothing},
    {"CCTLL", decode_nothing},
    {"DEPBAR", decode_nothing},
    {"LDGDEPBAR", decode_nothing, Exactness::exact, "", 80},
    {"WARPGROUP", decode_nothing, Exactness::exact, "", 90},
    {"PMTRIG", decode_nothing},
    // Launches run one after another, so that a launch starts after everything that it may depend on.
    {"ACQBULK", decode_nothing, Exactness::exact, "", 90},
    {"PREEXIT", decode_nothing, Exactness::exact, "", 90},
    {"ENDCOLLECTIVE", decode_endcollective, Exactness::exact, "", 80},
};

}  // namespace

std::span<const Semantics> control_semantics() { return kRows; }

}  // namespace sassim::emu
