// SPDX-License-Identifier: Apache-2.0
// Sends a memory instruction (or a piece of a bulk copy) with its 32 addresses to its queue, and tracks it to its end.
#include "arch/sm/memory/memory_access.h"

#include "arch/sm/units/units.h"
#include "sim/config/groups/sm.h"

namespace sassim::arch {

MemoryAccess::MemoryAccess(BlockState& state)
    : queues_{{{state.config.memory_io, state.config.memory_io.queue, state.config.memory_io.pipeline},
               {state.config.memory_io, state.config.memory_io.adu_queue.entries, state.config.memory_io.pipeline},
               // The texture unit takes an access at once; the cycles of the pipeline pass behind it.
               {state.config.memory_io, state.config.memory_io.texture_queue, 0}}},
      has_adu_queue_(state.config.memory_io.adu_queue.entries != 0),
      state_(state) {}

/// For how long the instruction occupies the address stage. Three `@!PT LDS RZ, [RZ]`, which compilers put in front of
/// asynchronous copies, take as long as accesses to global memory.
std::uint32_t MemoryAccess::address_interval(const StaticInstruction& instruction) const {
  const config::MemoryIo& config = state_.config.memory_io;
  const bool shared =
      instruction.resource == Resource::shared && config.shared_address_interval != 0 && !instruction.issue.never;
  return shared ? config.shared_address_interval : instruction.memory.has_address ? config.address_interval : 0;
}

void MemoryAccess::send(WarpIndex warp_index, const StaticInstruction& instruction, std::uint32_t epoch,
                        std::uint32_t group, Cycle now) {
  ResidentWarp& warp = state_.warps[warp_index];
  const InstructionBuffer& buffer = state_.buffers[warp_index];
  const InstructionBuffer::Entry& entry = buffer.front();
  const CodeLine line = entry.index;
  Operation operation;
  operation.warp = static_cast<std::uint8_t>(warp_index);
  operation.generation = warp.generation;
  operation.epoch = epoch;
  operation.group = group;
  operation.line = line;
  operation.issued = now;
  operation.live = buffer.live() ? state_.live->add(buffer.access()) : LiveId{};
  ++warp.memory.outstanding;

  MemoryQueue& queue = queue_of(instruction.resource);
  UnitOp& op = queue.push(instruction.resource == Resource::local_global && !instruction.memory.uniform_address,
                          address_interval(instruction), now);
  if (instruction.memory.copies) queue.occupy(state_.config.memory_io.async_release);  // LDGSTS has a second address
  op.token = {state_.part, operations_.add(operation)};
  if (instruction.memory.order != Order::none) put_in_order(op.token.operation, instruction.memory.order);
  op.warp = state_.slot(warp_index);
  op.pc = state_.code->pc(line);
  op.decoded = &state_.code->decoded(line);
  op.space = entry.space != isa::Space::none ? entry.space : op.decoded->space;
  op.lanes = entry.lanes;
  if (entry.has_addresses)
    buffer.front_addresses(op.addresses);
  else if (instruction.constant.present)
    op.addresses.fill(instruction.constant.address.in_trace());
  else
    op.lanes = LaneMask{};  // the trace has no addresses
  if (instruction.memory.copies) op.copy_shifts = buffer.front_detail().copy_shifts(entry.lanes);
  op.local_base_thread = warp.own.local_base_thread;
  op.local_bytes = state_.code->kernel(warp.own.launch).local_bytes;
  op.constants_of(warp.own.launch);
  op.uniform_address = instruction.memory.uniform_address;
  op.live = operation.live;
  if (!op.live) return;
  state_.units->begin(op, op.decoded->bypasses_l1);
  if ((*state_.live)[op.live].kind == trace::LiveAccess::Kind::shared)
    state_.after(now + std::max(1u, state_.config.shared.spin_delay), BlockEvent::Kind::spin_swap, warp_index,
                 op.token.operation);
}

void MemoryAccess::put_in_order(std::uint32_t operation, Order order) {
  if (last_in_order_.empty()) {
    last_in_order_.resize(state_.warps.size());
    for (auto& last : last_in_order_) last.fill(Operation::kNoLoad);
  }
  std::uint32_t& last = last_in_order_[operations_[operation].warp][static_cast<std::size_t>(order)];
  if (last != Operation::kNoLoad) {
    operations_[operation].older = last;
    operations_[last].newer = operation;
  }
  last = operation;
}

std::uint32_t MemoryAccess::next_in_order(std::uint32_t operation) {
  const Operation& done = operations_[operation];
  const Order order = (*state_.code)[done.line].memory.order;
  if (order == Order::none) return Operation::kNoLoad;
  std::uint32_t& last = last_in_order_[done.warp][static_cast<std::size_t>(order)];
  if (last == operation) last = Operation::kNoLoad;
  if (done.newer != Operation::kNoLoad) operations_[done.newer].older = Operation::kNoLoad;
  return done.newer;
}

void MemoryAccess::send_piece(WarpIndex number, const Piece& piece, Cycle now) {
  ResidentWarp& warp = state_.warps[number];
  Operation operation;
  operation.warp = static_cast<std::uint8_t>(number);
  operation.generation = warp.generation;
  operation.epoch = Operation::kNoEpoch;
  operation.line = piece.line;
  operation.bulk = piece.bulk;
  operation.issued = now;
  operation.live = piece.live;
  ++warp.memory.outstanding;

  UnitOp& op = queue().push(false, state_.config.memory_io.address_interval, now);
  op.token = {state_.part, operations_.add(operation)};
  op.warp = state_.slot(number);
  op.pc = state_.code->pc(piece.line);
  op.decoded = &state_.code->decoded(piece.line);
  op.space = isa::Space::global;
  op.lanes = LaneMask(piece.lanes >= kWarpSize ? ~0u : (1u << piece.lanes) - 1);
  for (std::size_t lane = 0; lane < kWarpSize; ++lane) op.addresses[lane] = piece.address + 16 * lane;
  op.copy_shifts = {};
  op.local_base_thread = 0;
  op.local_bytes = 0;
  op.uniform_address = true;
  op.live = piece.live;
  if (op.live) state_.units->begin(op, true);
}

}  // namespace sassim::arch
