// SPDX-License-Identifier: Apache-2.0
// Bulk copies and reductions from shared memory (PTX cp.async.bulk, cp.reduce.async.bulk): to global memory, and to the
// shared memory of a block of the cluster. They have taken place when their instruction has executed, so that the
// instructions that wait for them have nothing to wait for.
#include <bit>
#include <cstring>

#include "sim/emu/exec/async_copy.h"
#include "sim/emu/exec/atomic_operation.h"

namespace sassim::emu {
namespace {

std::byte* global_of_copy(Context& c, const MicroOp& op, std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t at = c.grid.memory->translate(address);
  if (at % kCopyUnit != 0) c.fault(FaultKind::misaligned_address, op, 0, at, "of a bulk copy");
  std::byte* const place = c.grid.memory->host(at, bytes, true);
  if (place == nullptr) c.fault(FaultKind::illegal_address, op, 0, at, "a bulk copy leaves its allocation");
  return place;
}

std::uint64_t bytes_of(Context& c, const MicroOp& op) {
  return std::uint64_t{fetch_uniform(c, op.src[0]) & 0xffffu} * kCopyUnit;
}

void exec_to_global(Context& c, const MicroOp& op, std::uint32_t) {
  require_untimed(c, op);
  access_untold(c);
  const std::uint64_t bytes = bytes_of(c, op);
  const std::byte* const from = shared_of_copy(c, op, 0, c.fragment->ur[op.address.ubase], bytes);
  put_copied(op, global_of_copy(c, op, uniform_pair(c, op.dst2), bytes), from, bytes);
  ++c.grid.changes;
  ++c.grid.effects;
}

/// The second register of the destination has the barrier of the block that gets the bytes.
void exec_to_block(Context& c, const MicroOp& op, std::uint32_t) {
  require_untimed(c, op);
  const std::uint64_t bytes = bytes_of(c, op);
  const std::byte* const from = shared_of_copy(c, op, 0, c.fragment->ur[op.address.ubase], bytes);
  put_copied(op, shared_of_copy(c, op, 0, c.fragment->ur[op.dst2], bytes), from, bytes);
  complete_transactions(c, op, shared_of_copy(c, op, 0, c.fragment->ur[(op.dst2 + 1) & 63], 8),
                        static_cast<std::uint32_t>(bytes));
}

std::uint8_t uniform_place(Decoder& d) {
  const isa::Operand& place = d.next();
  if (place.kind != isa::OperandKind::memory || !place.ubase || place.offset != 0)
    throw Unsupported{"a place that is not in uniform registers"};
  return *place.ubase;
}

void decode_operands(Decoder& d, Execute execute) {
  d.op.dst2 = uniform_place(d);
  d.op.address.ubase = uniform_place(d);
  d.op.src[0] = d.source();
  if (d.left() != 0) d.next();  // a hint to the L2
  d.op.loads = d.op.stores = true;
  d.op.execute = execute;
}

void decode_bulk_reduction(Decoder& d) {
  const bool to_global = d.take("G");
  d.ignore({"S"});
  decode_reduction(d);
  constexpr std::uint8_t kTypes[] = {t_s32, t_u64, t_s64, t_f32_subnormal, t_f64, t_f16x2, t_bf16x2};
  constexpr std::uint8_t kSizes[] = {4, 8, 8, 4, 8, 2, 2};
  const int type = d.take_one_of({"S32", "U64", "S64", "F32", "F64", "F16", "BF16"}, -1);
  d.op.mode2 = type < 0 ? std::uint8_t{t_u32} : kTypes[type];
  d.op.size = type < 0 ? 4 : kSizes[type];
  d.ignore({"U32", "RN"});
  decode_operands(d, to_global ? exec_to_global : exec_to_block);
}

void exec_nothing(Context&, const MicroOp&, std::uint32_t) {}
void decode_prefetch(Decoder& d) {
  d.ignore({"L2"});
  while (d.left() != 0) d.next();
  d.op.execute = exec_nothing;
}

constexpr Semantics kRows[] = {
    {"UBLKRED", decode_bulk_reduction, Exactness::exact, "with --functional", 90},
    {"UBLKPF", decode_prefetch, Exactness::exact, "the line is not fetched", 90},
};

}  // namespace

void decode_bulk_store(Decoder& d) {
  d.ignore({"G", "S"});
  d.op.size = 0;
  decode_operands(d, exec_to_global);
}
void decode_bulk_to_block(Decoder& d) {
  d.ignore({"S"});
  d.op.size = 0;
  decode_operands(d, exec_to_block);
}

void decode_reduction(Decoder& d) {
  const int operation = d.take_one_of({"ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR"}, -1);
  if (operation < 0) throw Unsupported{"this operation"};
  d.op.mode = static_cast<std::uint8_t>(operation);
}

void put_copied(const MicroOp& op, std::byte* to, const std::byte* from, std::uint64_t bytes) {
  if (op.size == 0) {
    std::memmove(to, from, bytes);
    return;
  }
  for (std::uint64_t at = 0; at < bytes; at += op.size) {
    std::uint64_t old = 0, value = 0;
    std::memcpy(&old, to + at, op.size);
    std::memcpy(&value, from + at, op.size);
    value = combine(op.mode, op.mode2, old, value);
    std::memcpy(to + at, &value, op.size);
  }
}

void require_untimed(const Context& c, const MicroOp& op) {
  if (c.step != nullptr || c.deferred != nullptr)
    throw NotSupported("{}: this copy is neither timed nor recorded; run it with --functional",
                       place(*c.grid.kernel, op.index));
}

std::span<const Semantics> bulk_store_semantics() { return kRows; }

}  // namespace sassim::emu
