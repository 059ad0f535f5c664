// SPDX-License-Identifier: Apache-2.0
// Bulk copies from global to shared memory (PTX cp.async.bulk): one instruction copies up to a mebibyte, and when bytes
// have been written, they are taken from the transactions for which a barrier in shared memory waits. Also what CUDA
// compiles around them: ELECT and FENCE.
#include <algorithm>
#include <bit>

#include "sim/emu/core/cluster.h"
#include "sim/emu/core/global_access.h"
#include "sim/emu/exec/async_copy.h"

namespace sassim::emu {
namespace {

using isa::Space;

constexpr std::uint32_t kUnit = kCopyUnit;

void finish_piece(GlobalAccess& a) {
  a.pool->changed();
  for_lanes(a.mask, [&](int lane) {
    const auto i = static_cast<std::size_t>(lane);
    std::memcpy(a.at[i], a.values[i].data(), kUnit);
  });
  Context c{.grid = *a.warp->block->grid, .block = *a.warp->block, .warp = *a.warp};
  complete_transactions(c, *a.op, a.barrier, kUnit * static_cast<std::uint32_t>(std::popcount(a.mask)));
}

/// Piece `number` has the units of 32 lanes.
trace::LiveAccess* begin_piece(GlobalAccess& whole, std::uint32_t number) {
  const std::uint32_t first = 32 * number, units = static_cast<std::uint32_t>(whole.compare[0]);
  Context c{.grid = *whole.warp->block->grid, .block = *whole.warp->block, .warp = *whole.warp};
  Lanes64 from{};
  std::uint32_t mask = 0;
  for (std::uint32_t lane = 0; lane < 32 && first + lane < units; ++lane) {
    from.v[lane] = whole.addresses[0] + std::uint64_t{first + lane} * kUnit;
    mask |= 1u << lane;
  }
  c.global = mask;
  GlobalAccess& a = whole.pool->take(trace::LiveAccess::Kind::load, c, *whole.op, from, mask);
  whole.pool->begun();
  a.bytes = kUnit;
  for_lanes(mask, [&](int lane) {
    a.at[static_cast<std::size_t>(lane)] = whole.at[0] + (first + static_cast<std::uint32_t>(lane)) * kUnit;
  });
  a.barrier = whole.barrier;
  a.finish = finish_piece;
  return &a;
}

/// The first uniform register of the destination holds its address, the second that of the barrier.
void exec_bulk_copy(Context& c, const MicroOp& op, std::uint32_t mask) {
  const int lane = first_lane(mask);
  const std::uint32_t units = fetch_uniform(c, op.src[0]) & 0xffffu, bytes = units * kUnit;
  Lanes64 addresses;
  lane_addresses(c, op, addresses);
  const std::uint64_t from = addresses.v[lane];
  const std::uint32_t at = c.fragment->ur[op.dst2 + 1];
  std::byte* const to = shared_of_copy(c, op, lane, c.fragment->ur[op.dst2], bytes);
  std::byte* const barrier = shared_of_copy(c, op, lane, at, 8);
  access_untold(c);
  const std::byte* const source = c.grid.memory->host(from, bytes);
  if (from % kUnit != 0) c.fault(FaultKind::misaligned_address, op, lane, from, "of a bulk copy");
  if (source == nullptr) c.fault(FaultKind::illegal_address, op, lane, from, "a bulk copy leaves its allocation");
  if (c.step != nullptr) {
    c.step->space = Space::global;
    c.step->has_addresses = true;
    c.step->lanes = LaneMask(1u << lane);
    c.step->addresses.set_affine(from, 0);
    c.step->detail.set_lanes(trace::DetailKind::bulk_copy)[static_cast<std::size_t>(lane)] =
        trace::BulkCopy{.units = units, .barrier = at & 0xffffffu}.bits();
  }
  if (units == 0) return;
  c.grid.effects += c.grid.memory->find(from)->owned ? 0 : 1;
  if (c.deferred == nullptr) {
    std::memcpy(to, source, bytes);
    return complete_transactions(c, op, barrier, bytes);
  }
  c.global = 0;
  GlobalAccess& a = c.deferred->take(trace::LiveAccess::Kind::bulk, c, op, addresses, 1u << lane);
  a.addresses[0] = from;
  a.at[0] = to;
  a.compare[0] = units;
  a.barrier = barrier;
  a.begin_piece = begin_piece;
}
/// To the same place in the shared memory of several blocks: the size's upper half says which.
void exec_multicast(Context& c, const MicroOp& op, std::uint32_t mask) {
  require_untimed(c, op);
  access_untold(c);
  const std::uint32_t operand = fetch_uniform(c, op.src[0]), bytes = (operand & 0xffffu) * kUnit;
  Lanes64 addresses;
  lane_addresses(c, op, addresses);
  const std::uint64_t from = addresses.v[first_lane(mask)];
  const std::byte* const source = c.grid.memory->host(from, bytes);
  if (source == nullptr) c.fault(FaultKind::illegal_address, op, 0, from, "a bulk copy leaves its allocation");
  for_ranks(operand >> 16, [&](unsigned rank) {
    const auto there = [&](std::uint32_t address) { return in_block_of_rank(address, rank); };
    std::memcpy(shared_of_copy(c, op, 0, there(c.fragment->ur[op.dst2]), bytes), source, bytes);
    complete_transactions(c, op, shared_of_copy(c, op, 0, there(c.fragment->ur[op.dst2 + 1]), 8), bytes);
  });
}
void decode_bulk_copy(Decoder& d) {
  const std::vector<std::string>& modifiers = d.instruction().modifiers;
  if (!modifiers.empty() && modifiers.front() == "G") return decode_bulk_store(d);
  if (!d.take("S") || !d.take("G")) return decode_bulk_to_block(d);
  const bool multicast = d.take("MULTICAST");
  d.op.memory = d.op.loads = d.op.waits = true;
  d.op.space = static_cast<std::uint8_t>(Space::global);
  d.op.size = kUnit;
  const isa::Operand& destination = d.next();
  if (destination.kind != isa::OperandKind::memory || !destination.ubase || destination.offset != 0)
    throw Unsupported{"a destination that is not in uniform registers"};
  d.op.dst2 = *destination.ubase;
  d.op.address = d.address();
  d.op.address.ubase_wide = true;
  d.op.src[0] = d.source();
  if (d.left() != 0) d.next();  // a hint to the L2
  d.op.execute = multicast ? exec_multicast : exec_bulk_copy;
}

/// One of the threads of the operand: the first.
void exec_elect(Context& c, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t chosen = 1u << first_lane(mask);
  if (op.dst != isa::kRZ) c.fragment->ur[op.dst] = static_cast<std::uint32_t>(first_lane(mask));
  c.write_predicate(op.pdst, chosen, mask);
}
void decode_elect(Decoder& d) {
  d.op.pdst = d.predicate_destination();
  if (d.next_is(isa::OperandKind::ureg)) d.op.dst = d.destination();
  if (d.left() != 0 && d.next_is(isa::OperandKind::ureg)) {  // ~URZ: all threads
    const isa::Operand& threads = d.next();
    if (!threads.invert || threads.index != isa::kURZ) throw Unsupported{"a set of threads in a register"};
  }
  if (d.left() != 0) d.predicate();
  d.op.execute = exec_elect;
}

void exec_nothing(Context&, const MicroOp&, std::uint32_t) {}
/// Orders accesses of the threads and of bulk copies, which takes place here anyway.
void decode_fence(Decoder& d) {
  if (!d.take("VIEW") || !d.take("ASYNC")) throw Unsupported{"this fence"};
  d.ignore({"S", "G"});
  d.op.execute = exec_nothing;
}

constexpr Semantics kRows[] = {
    {"UBLKCP", decode_bulk_copy, Exactness::exact, "timed: from global to shared memory of one block", 90},
    {"ELECT", decode_elect, Exactness::exact, "the first thread is chosen", 90},
    {"FENCE", decode_fence, Exactness::exact, "of asynchronous copies", 90},
};

}  // namespace

std::byte* shared_of_copy(Context& c, const MicroOp& op, int lane, std::uint32_t address, std::uint64_t bytes) {
  const std::uint32_t offset = address & kOffsetInBlock;
  if (offset % std::min<std::uint64_t>(bytes, kUnit) != 0)
    c.fault(FaultKind::misaligned_address, op, lane, address, "of a bulk copy in shared memory");
  if (c.block.cluster)
    if (std::byte* const at = shared_memory(c.block, address, bytes)) return at;
  if (c.block.cluster || offset + bytes > c.block.shared.size())
    c.fault(FaultKind::shared_out_of_bounds, op, lane, address, "of a bulk copy");
  return c.block.shared.data() + offset;
}
std::uint32_t in_block_of_rank(std::uint32_t address, unsigned rank) {
  return (address & kOffsetInBlock) | rank << kRankShift;
}

std::span<const Semantics> bulk_copy_semantics() { return kRows; }

}  // namespace sassim::emu
