// SPDX-License-Identifier: Apache-2.0
// Atomic operations: lanes execute in rising order, and each sees what earlier lanes wrote.
#include <fmt/format.h>

#include "sim/emu/core/global_access.h"
#include "sim/emu/core/launch_values.h"
#include "sim/emu/core/memory_access.h"
#include "sim/emu/exec/atomic_operation.h"
#include "sim/emu/exec/float_lanes.h"
#include "sim/emu/exec/half.h"

namespace sassim::emu {
namespace {

using isa::Space;

std::uint32_t add_single(std::uint32_t a, std::uint32_t b) {
  const float sum = std::bit_cast<float>(flushed_f32(a)) + std::bit_cast<float>(flushed_f32(b));
  const auto bits = std::bit_cast<std::uint32_t>(sum);
  return is_nan_f32(bits) ? 0x7fffffffu : flushed_f32(bits);
}

std::uint32_t add_subnormals(std::uint32_t a, std::uint32_t b) {
  const auto sum = std::bit_cast<std::uint32_t>(std::bit_cast<float>(a) + std::bit_cast<float>(b));
  return is_nan_f32(sum) ? 0x7fffffffu : sum;
}

std::uint32_t add_halves(std::uint32_t a, std::uint32_t b, bool bfloat) {
  const auto add = [bfloat](std::uint32_t x, std::uint32_t y) -> std::uint32_t {
    const auto p = static_cast<std::uint16_t>(x), q = static_cast<std::uint16_t>(y);
    return bfloat ? fma_bfloat(p, 0x3f80, q) : fma_half(p, 0x3c00, q);
  };
  return add(a >> 16, b >> 16) << 16 | add(a & 0xffff, b & 0xffff);
}

std::uint64_t add(std::uint8_t type, std::uint64_t old, std::uint64_t value) {
  switch (type) {
    case t_f32:
      return add_single(static_cast<std::uint32_t>(old), static_cast<std::uint32_t>(value));
    case t_f32_subnormal:
      return add_subnormals(static_cast<std::uint32_t>(old), static_cast<std::uint32_t>(value));
    case t_f64:
      return std::bit_cast<std::uint64_t>(std::bit_cast<double>(old) + std::bit_cast<double>(value));
    case t_f16x2:
    case t_bf16x2:
      return add_halves(static_cast<std::uint32_t>(old), static_cast<std::uint32_t>(value), type == t_bf16x2);
    default:
      return old + value;
  }
}

bool less(std::uint8_t type, std::uint64_t a, std::uint64_t b) {
  switch (type) {
    case t_s32:
      return static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b);
    case t_s64:
      return static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b);
    case t_f16x2:
      return half_to_float(static_cast<std::uint16_t>(a)) < half_to_float(static_cast<std::uint16_t>(b));
    case t_bf16x2:
      return bfloat_to_float(static_cast<std::uint16_t>(a)) < bfloat_to_float(static_cast<std::uint16_t>(b));
    default:
      return a < b;
  }
}

}  // namespace

std::uint64_t combine(std::uint8_t operation, std::uint8_t type, std::uint64_t old, std::uint64_t value) {
  switch (operation) {
    case a_add:
      return add(type, old, value);
    case a_min:
      return less(type, value, old) ? value : old;
    case a_max:
      return less(type, old, value) ? value : old;
    case a_inc:
      return old >= value ? 0 : old + 1;
    case a_dec:
      return old == 0 || old > value ? value : old - 1;
    case a_and:
      return old & value;
    case a_or:
      return old | value;
    case a_xor:
      return old ^ value;
    default:
      return value;
  }
}

namespace {

void fetch_values(Context& c, const MicroOp& op, const Source& source, Lanes64& to) {
  if (op.size == 8) {
    const std::uint64_t* x = fetch64(c, source, to, false);
    if (x != to.v) std::memcpy(to.v, x, sizeof to.v);
    return;
  }
  Lanes scratch;
  const std::uint32_t* x = fetch_int(c, source, scratch);
  for (int i = 0; i < 32; ++i) to.v[i] = x[i];
}

bool compares(const MicroOp& op) { return op.mode == a_cas || op.mode == a_cast; }

template <class Word>
[[gnu::always_inline]] inline std::uint64_t operate_on(const MicroOp& op, std::byte* at, std::uint64_t value,
                                                       std::uint64_t compare, std::uint64_t& changes) {
  Word old;
  std::memcpy(&old, at, sizeof old);
  const bool equal = compares(op) && old == compare;
  const auto now = static_cast<Word>(compares(op) ? (equal ? value : old) : combine(op.mode, op.mode2, old, value));
  std::memcpy(at, &now, sizeof now);
  changes += now != old ? 1 : 0;
  return op.mode == a_cast ? (equal ? 1 : 0) : old;
}

/// Of one lane; returns the result. `changes` counts operations that leave another value.
std::uint64_t operate(const MicroOp& op, std::byte* at, std::uint64_t value, std::uint64_t compare,
                      std::uint64_t& changes) {
  return op.size == 8 ? operate_on<std::uint64_t>(op, at, value, compare, changes)
                      : operate_on<std::uint32_t>(op, at, value, compare, changes);
}

}  // namespace

bool perform(const Reduction& r) {
  std::uint64_t changes = 0;
  operate(*r.op, r.at, r.value, 0, changes);
  return changes != 0;
}

namespace {

void atomic_results(Context& c, const MicroOp& op, const Lanes64& result, std::uint32_t mask) {
  if (op.size == 8)
    return c.write64(op.dst, result, mask);  // CAST also writes a value: compiled code compares both words with 1
  Lanes out;
  for (int i = 0; i < 32; ++i) out.v[i] = static_cast<std::uint32_t>(result.v[i]);
  c.write(op.dst, out, mask);
}

bool swaps(const MicroOp& op) { return compares(op) || op.mode == a_exch; }

std::uint64_t value_at(const std::byte* at, std::size_t bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, at, bytes);
  return value;
}

void operate_lane(GlobalAccess& a, int lane) {
  const auto i = static_cast<std::size_t>(lane);
  std::uint64_t value, changes = 0;
  std::memcpy(&value, a.values[i].data(), sizeof value);
  value = operate(*a.op, a.at[i], value, a.compare[i], changes);
  if (changes != 0) a.pool->changed();
  // Between epochs one thread performs all accesses to global memory; an SM's own thread performs those to shared
  // memory.
  if (changes != 0 && a.takers != nullptr && (a.lanes.bits >> lane & 1) != 0)
    a.takers->note({a.addresses[i], value_at(a.at[i], a.op->size), a.ctaid, a.taker, lane});
  std::memcpy(a.values[i].data(), &value, sizeof value);
}

void finish_atomic(GlobalAccess& a) {
  Lanes64 result{};
  for (std::size_t i = 0; i < 32; ++i) std::memcpy(&result.v[i], a.values[i].data(), sizeof result.v[i]);
  Context c{.grid = *a.warp->block->grid, .block = *a.warp->block, .warp = *a.warp};
  atomic_results(c, *a.op, result, a.mask);
}

void defer_atomic(Context& c, const MicroOp& op, const Lanes64& addresses, const Access& access, const Lanes64& value,
                  const Lanes64& compare, std::uint32_t mask) {
  GlobalAccess& a = c.deferred->take(trace::LiveAccess::Kind::atomic, c, op, addresses, mask);
  if (swaps(op)) a.takers = c.grid.takers.get(), a.ctaid = c.block.ctaid, a.taker = c.warp.index;
  for_lanes(mask, [&](int lane) {
    const auto i = static_cast<std::size_t>(lane);
    a.at[i] = access.at[lane];
    a.compare[i] = compare.v[lane];
    std::memcpy(a.values[i].data(), &value.v[lane], sizeof value.v[lane]);
    if ((c.global >> lane & 1) == 0) operate_lane(a, lane);
  });
  a.perform_lane = operate_lane;
  if (op.dst != isa::kRZ) a.finish = finish_atomic;
}

/// The first lane of each of the 32 banks, which are as wide as the words
/// (validation/measured/h200/shared-memory.md#shared-memory).
std::uint32_t first_of_banks(const Lanes64& addresses, std::uint32_t size, std::uint32_t mask) {
  constexpr std::uint64_t kBanks = 32;
  std::uint32_t first = 0, banks = 0;
  for_lanes(mask, [&](int lane) {
    const std::uint32_t bank = 1u << addresses.v[lane] / size % kBanks;
    if ((banks & bank) == 0) first |= 1u << lane;
    banks |= bank;
  });
  return first;
}

/// ATOMS.CAST.SPIN: the first lane of each bank compares and swaps, others fail. The timing model says when.
void finish_spin(GlobalAccess& a) {
  Lanes64 result{};
  Context c{.grid = *a.warp->block->grid, .block = *a.warp->block, .warp = *a.warp};
  for_lanes(a.left.bits, [&](int lane) {
    const auto i = static_cast<std::size_t>(lane);
    std::uint64_t value = 0;
    std::memcpy(&value, a.values[i].data(), sizeof value);
    result.v[i] = operate(*a.op, a.at[i], value, a.compare[i], c.grid.changes);
  });
  atomic_results(c, *a.op, result, a.mask);
}

void exec_spin(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes64 addresses, value, compare{};
  Access access;
  lane_addresses(c, op, addresses);
  resolve(c, op, static_cast<Space>(op.space), addresses, op.size, mask, access);
  fetch_values(c, op, op.src[0], compare);
  fetch_values(c, op, op.src[1], value);
  if (op.pdst != isa::kPT) c.write_predicate(op.pdst, kAllLanes, mask);
  ask(c, op, addresses, mask);
  const std::uint32_t first = first_of_banks(addresses, op.size, mask);
  if (c.deferred != nullptr) {
    // Nothing of the warp comes between: the code around the instruction waits for its result.
    GlobalAccess& a = c.deferred->take(trace::LiveAccess::Kind::shared, c, op, addresses, mask);
    a.left = LaneMask(first);
    for_lanes(first, [&](int lane) {
      const auto i = static_cast<std::size_t>(lane);
      a.at[i] = access.at[lane];
      a.compare[i] = compare.v[lane];
      std::memcpy(a.values[i].data(), &value.v[lane], sizeof value.v[lane]);
    });
    a.finish = finish_spin;
    return;
  }
  Lanes64 result{};
  for_lanes(first, [&](int lane) {
    result.v[lane] = operate(op, access.at[lane], value.v[lane], compare.v[lane], c.grid.changes);
  });
  atomic_results(c, op, result, mask);
}

void exec_atomic(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes64 addresses, value, compare{}, result{};
  Access access;
  lane_addresses(c, op, addresses);
  resolve(c, op, static_cast<Space>(op.space), addresses, op.size, mask, access);
  fetch_values(c, op, op.src[0], value);
  if (compares(op)) {
    compare = value;
    fetch_values(c, op, op.src[1], value);
  }
  if (op.pdst != isa::kPT) c.write_predicate(op.pdst, kAllLanes, mask);
  ask(c, op, addresses, mask);
  if (c.deferred != nullptr && c.global != 0) return defer_atomic(c, op, addresses, access, value, compare, mask);
  // Words of shared memory are not noted: the threads of several SMs come here with them.
  const std::uint32_t noted = swaps(op) ? c.global : 0;
  const std::uint32_t later = op.reduces && c.grid.reductions != nullptr ? c.global & mask : 0;
  for_lanes(later, [&](int lane) { c.grid.reductions->push_back({&op, access.at[lane], value.v[lane]}); });
  if (later != 0) ++c.grid.changes;
  for_lanes(mask & ~later, [&](int lane) {
    const std::uint64_t before = c.grid.changes;
    result.v[lane] = operate(op, access.at[lane], value.v[lane], compare.v[lane], c.grid.changes);
    if (c.grid.changes == before) return;
    if ((c.global >> lane & 1) != 0 && addresses.v[lane] - c.grid.workspace >= kGridWorkspaceBytes) ++c.grid.effects;
    if ((noted >> lane & 1) != 0)
      c.grid.takers->note({addresses.v[lane], value_at(access.at[lane], op.size), c.block.ctaid, c.warp.index, lane});
  });
  atomic_results(c, op, result, mask);
}

void decode_type(Decoder& d) {
  static constexpr std::uint8_t kSizes[] = {4, 4, 8, 8, 4, 8, 4, 4};
  const bool wide = d.take("64");
  const int type = d.take_one_of({"U32", "S32", "U64", "S64", "F32", "F64", "F16x2", "BF16x2"}, wide ? t_u64 : t_u32);
  d.op.mode2 = static_cast<std::uint8_t>(d.take("BF16_V2") ? t_bf16x2 : type);
  if (wide && type == t_s32) d.op.mode2 = t_s64;
  d.op.size = kSizes[d.op.mode2];
  d.ignore({"32", "E", "FTZ", "RN", "STRONG", "WEAK", "GPU", "SYS", "CTA", "SM", "VC", "PRIVATE", "RELAXED", "SPIN"});
}

template <Space kSpace, bool kReturns>
void decode_atomic(Decoder& d) {
  if (kSpace == Space::shared && d.take("ARRIVE")) return decode_atoms_arrive(d);
  const int operation =
      d.take_one_of({"ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR", "EXCH", "CAS", "CAST"}, -1);
  if (operation < 0) throw Unsupported{"this operation"};
  d.op.mode = static_cast<std::uint8_t>(operation);
  const bool counted = d.take("POPC");  // POPC.INC adds one for each lane
  if (counted) d.op.mode = a_add;
  decode_type(d);
  d.op.space = static_cast<std::uint8_t>(kSpace);
  d.op.memory = true;
  d.op.stores = kSpace != Space::shared;
  d.op.contends = operation == a_cas || operation == a_cast || operation == a_exch;
  if (kReturns) {
    d.op.pdst = d.optional_predicate_destination();
    d.op.dst = d.destination();
  }
  d.op.address = d.address();
  if (counted) {
    d.op.src[0].kind = SourceKind::imm;
    d.op.src[0].value = 1;
  } else {
    d.op.src[0] = d.source();
  }
  if (operation == a_cas || operation == a_cast) d.op.src[1] = d.source();
  if ((d.op.mode == a_min || d.op.mode == a_max) && d.op.mode2 >= t_f32) throw Unsupported{"this type"};
  d.op.reduces = d.op.stores && d.op.dst == isa::kRZ && !d.op.contends;
  d.op.ordered = d.op.reduces && (d.op.mode2 >= t_f32 || d.op.mode == a_inc || d.op.mode == a_dec);
  d.op.execute = operation == a_cast && kSpace == Space::shared ? exec_spin : exec_atomic;
}

constexpr Semantics kRows[] = {
    {"ATOM", decode_atomic<Space::generic, true>},
    {"ATOMG", decode_atomic<Space::global, true>},
    {"ATOMS", decode_atomic<Space::shared, true>},
    {"RED", decode_atomic<Space::generic, false>},
    {"REDG", decode_atomic<Space::global, false>, Exactness::exact, "", 90},
};

}  // namespace

std::span<const Semantics> atomic_semantics() { return kRows; }

}  // namespace sassim::emu
