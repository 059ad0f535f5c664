// SPDX-License-Identifier: Apache-2.0
// Copies of boxes of tensors between global and shared memory (PTX cp.async.bulk.tensor): UTMALDG, UTMASTG and
// UTMAREDG. A copy has taken place when its instruction has executed, and only where kernels are executed without
// timing.
#include <cstring>

#include "sim/emu/exec/async_copy.h"
#include "sim/emu/exec/atomic_operation.h"
#include "sim/emu/exec/tensor_box.h"

namespace sassim::emu {
namespace {

enum Flag : std::uint32_t { kIm2col = 1, kMulticast = 2, kReduces = 4 };

TensorMap map_of(Context& c, const MicroOp& op) {
  const std::uint64_t at = uniform_pair(c, op.address.ubase) + static_cast<std::uint64_t>(op.address.offset);
  const std::byte* const bytes = c.grid.memory->host(c.grid.memory->translate(at), sizeof(TensorMap));
  if (bytes == nullptr) c.fault(FaultKind::illegal_address, op, 0, at, "of a tensor map");
  TensorMap map;
  std::memcpy(&map, bytes, sizeof map);
  if (map.seal != seal_of(map))
    throw NotSupported(
        "{}: the 128 bytes at {:#x} are no tensor map of cuTensorMapEncode..., or the program has changed "
        "them (tensormap.replace)",
        place(*c.grid.kernel, op.index), at);
  if (map.rank != op.size || (map.im2col != 0) != ((op.flags & kIm2col) != 0))
    c.fault(FaultKind::illegal_instruction, op, 0, at, "a tensor map of another kind or number of dimensions");
  if (const char* const unknown = unknown_feature(map))
    throw NotSupported("{}: a copy of a tensor with {}", place(*c.grid.kernel, op.index), unknown);
  return map;
}

void require_unit(Context& c, const MicroOp& op, const TensorBox& box) {
  if (!box.begins_at_a_unit())
    c.fault(FaultKind::illegal_instruction, op, 0, 0, "the box of a tensor does not begin at a multiple of 16 bytes");
}

std::byte* global_of_tensor(Context& c, const MicroOp& op, std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t at = c.grid.memory->translate(address);
  std::byte* const place = c.grid.memory->host(at, bytes);
  if (place == nullptr) c.fault(FaultKind::illegal_address, op, 0, at, "a copy of a tensor leaves its allocation");
  return place;
}

void load(Context& c, const MicroOp& op, const TensorBox& box, std::uint32_t shared, std::uint32_t barrier) {
  const std::uint64_t bytes = box.element_bytes();
  std::byte* const begin = shared_of_copy(c, op, 0, shared, box.span());
  for (std::uint64_t i = 0; i < box.elements(); ++i) {
    const std::optional<std::uint64_t> at = box.global(i);
    std::uint64_t value = box.outside();
    if (at) {
      value = 0;
      std::memcpy(&value, global_of_tensor(c, op, *at, bytes), bytes);
      value = box.loaded(value);
    }
    std::memcpy(begin + (box.shared(shared, i) - shared), &value, bytes);
  }
  complete_transactions(c, op, shared_of_copy(c, op, 0, barrier, 8), static_cast<std::uint32_t>(box.bytes()));
}

/// The uniform registers of the first operand hold the address in shared memory, that of the barrier, and coordinates.
void exec_load(Context& c, const MicroOp& op, std::uint32_t) {
  require_untimed(c, op);
  access_untold(c);
  const std::uint32_t* const registers = &c.fragment->ur[op.dst2];
  const std::uint32_t more = fetch_uniform(c, op.src[0]);
  const TensorMap map = map_of(c, op);
  const TensorBox box(map, registers + 2, more & 0xffffu);
  require_unit(c, op, box);
  if ((op.flags & kMulticast) == 0) return load(c, op, box, registers[0], registers[1]);
  for_ranks(more >> 16, [&](unsigned rank) {
    load(c, op, box, in_block_of_rank(registers[0], rank), in_block_of_rank(registers[1], rank));
  });
}

/// The type of an element of the tensor, for reductions; its size is the tensor's.
std::uint8_t type_of(const TensorMap& map) {
  constexpr std::uint8_t kTypes[] = {t_u32,           t_u32,           t_u32,           t_s32, t_u64,
                                     t_s64,           t_f16x2,         t_f32_subnormal, t_f64, t_bf16x2,
                                     t_f32_subnormal, t_f32_subnormal, t_f32_subnormal};
  return kTypes[map.type];
}

/// An H200 calls such stores illegal, but not such loads.
void require_store_inside(Context& c, const MicroOp& op, const TensorMap& map, const std::uint32_t* coordinates) {
  bool inside = true;
  for (unsigned i = 0; i < map.rank; ++i) inside = inside && static_cast<std::int32_t>(coordinates[i]) >= 0;
  for (unsigned i = 0; map.im2col != 0 && i + 2 < map.rank; ++i)
    inside = inside && map.lower[i] == 0 && map.upper[i] == 0;
  if (!inside) c.fault(FaultKind::illegal_instruction, op, 0, 0, "a store begins before the tensor");
}

void exec_store(Context& c, const MicroOp& op, std::uint32_t) {
  require_untimed(c, op);
  access_untold(c);
  const std::uint32_t* const registers = &c.fragment->ur[op.dst2];
  const TensorMap map = map_of(c, op);
  const TensorBox box(map, registers + 1, 0);
  require_unit(c, op, box);
  require_store_inside(c, op, map, registers + 1);
  const std::uint64_t bytes = box.element_bytes();
  MicroOp put = op;
  put.size = (op.flags & kReduces) != 0 ? static_cast<std::uint8_t>(bytes) : 0;
  put.mode2 = type_of(map);
  const std::byte* const begin = shared_of_copy(c, op, 0, registers[0], box.span());
  for (std::uint64_t i = 0; i < box.elements(); ++i)
    if (const std::optional<std::uint64_t> at = box.global(i))
      put_copied(put, global_of_tensor(c, op, *at, bytes), begin + (box.shared(registers[0], i) - registers[0]), bytes);
  ++c.grid.changes;
  ++c.grid.effects;
}

void decode_tensor(Decoder& d, Execute execute) {
  d.op.size = static_cast<std::uint8_t>(d.take_one_of({"1D", "2D", "3D", "4D", "5D"}, -1) + 1);
  if (d.op.size == 0) throw Unsupported{"this number of dimensions"};
  if (d.take("IM2COL")) d.op.flags |= kIm2col;
  if (d.take("MULTICAST")) d.op.flags |= kMulticast;
  const isa::Operand& registers = d.next();
  if (registers.kind != isa::OperandKind::memory || !registers.ubase || registers.offset != 0)
    throw Unsupported{"a place that is not in uniform registers"};
  d.op.dst2 = *registers.ubase;
  d.op.address = d.address();
  if (d.next_is(isa::OperandKind::ureg)) d.op.src[0] = d.source();
  if (d.left() != 0) d.next();  // a hint to the L2
  d.op.loads = d.op.stores = true;
  d.op.execute = execute;
}
void decode_load(Decoder& d) {
  decode_tensor(d, exec_load);
  d.op.waits = true;
}
void decode_store(Decoder& d) { decode_tensor(d, exec_store); }
void decode_reduce(Decoder& d) {
  decode_reduction(d);
  d.op.flags |= kReduces;
  decode_tensor(d, exec_store);
}

void exec_nothing(Context&, const MicroOp&, std::uint32_t) {}
/// A prefetch, or an order between copies that have taken place.
void decode_hint(Decoder& d) {
  d.ignore({"PF", "IV", "L2", "1D", "2D", "3D", "4D", "5D", "IM2COL"});
  while (d.left() != 0) d.next();
  d.op.execute = exec_nothing;
}

constexpr const char* kNote = "with --functional; no interleaved layouts";
constexpr Semantics kTable[] = {
    {"UTMALDG", decode_load, Exactness::exact, kNote, 90},
    {"UTMASTG", decode_store, Exactness::exact, kNote, 90},
    {"UTMAREDG", decode_reduce, Exactness::exact, kNote, 90},
    {"UTMACMDFLUSH", decode_hint, Exactness::exact, "", 90},
    {"UTMACCTL", decode_hint, Exactness::exact, "", 90},
    {"UTMAPF", decode_hint, Exactness::exact, "the line is not fetched", 90},
};

}  // namespace

std::span<const Semantics> tensor_copy_semantics() { return kTable; }

}  // namespace sassim::emu
