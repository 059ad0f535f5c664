// SPDX-License-Identifier: Apache-2.0
// Executes the other 64-bit instructions (Kepler to Pascal): those that do what a 128-bit one does but are printed
// otherwise, and some without a counterpart, such as loads that lock a word of shared memory.
#include <algorithm>
#include <bit>
#include <numbers>

#include "sim/emu/core/memory_access.h"
#include "sim/emu/exec/float_lanes.h"
#include "sim/emu/exec/lane_loops.h"
#include "sim/emu/exec/sass64.h"

namespace sassim::emu {
namespace {

template <const char* kMnemonic>
void decode_same(Decoder& d) {
  decode_as(d, kMnemonic);
}

constexpr char kMov[] = "MOV", kFadd[] = "FADD", kFmul[] = "FMUL", kFfma[] = "FFMA", kS2r[] = "S2R", kNop[] = "NOP",
               kHadd2[] = "HADD2", kHmul2[] = "HMUL2", kHfma2[] = "HFMA2";

/// RRO prepares an angle or an exponent for MUFU, in a format that only MUFU reads. Here an angle becomes a number of
/// turns, and an exponent stays as it is.
void exec_rro(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes s0, out;
  const std::uint32_t* x = fetch_f32(c, op.src[0], s0);
  for (int i = 0; i < 32; ++i) {
    const double turns = std::bit_cast<float>(x[i]) / (2 * std::numbers::pi);
    out.v[i] = op.mode == 0 ? std::bit_cast<std::uint32_t>(static_cast<float>(turns)) : x[i];
    if (is_nan_f32(x[i])) out.v[i] = 0x7fffffffu;
  }
  c.write(op.dst, out, mask);
}
void decode_rro(Decoder& d) {
  const int kind = d.take_one_of({"SINCOS", "EX2"}, -1);
  if (kind < 0) throw Unsupported{"this preparation"};
  d.op.mode = static_cast<std::uint8_t>(kind);
  d.op.dst = d.destination();
  d.op.src[0] = d.source_f32();
  d.op.execute = exec_rro;
}

/// F2F also rounds to an integral value.
void decode_f2f(Decoder& d) {
  const auto& in = d.instruction();
  const bool rounds = in.has("FLOOR") || in.has("CEIL") || in.has("TRUNC") || in.has("ROUND");
  if (rounds && (in.has("F64") ? in.has("F32") || in.has("F16") : in.has("F32") && in.has("F16")))
    throw Unsupported{"rounding to an integral value of another format"};
  if (rounds) d.ignore({"F32"});
  decode_as(d, rounds ? "FRND" : "F2F");
}

/// A NaN gives 0, unless a format has 64 bits (PTX ISA, cvt).
void decode_f2i(Decoder& d) {
  constexpr std::uint32_t kNanToZero = 2;  // of F2I
  const auto& in = d.instruction();
  const bool wide = in.has("F64") || in.has("S64") || in.has("U64");
  decode_as(d, "F2I");
  if (!wide) d.op.flags |= kNanToZero;
}

/// I2I that only sets CC, by which a sign is tested.
void exec_i2i_codes(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes s0, out;
  std::memcpy(out.v, fetch_int(c, op.src[0], s0), sizeof out.v);
  c.write(op.dst, out, mask);
  set_result_codes(c, op, out, mask);
  set_carry_codes(c, 0, 0, 0, mask);
}
void decode_i2i(Decoder& d) {
  const auto& in = d.instruction();
  if (in.operands.empty() || !in.operands.front().has("CC")) return decode_as(d, "I2I");
  if (in.modifiers.size() != 2 || in.modifiers[0] != "S32" || in.modifiers[1] != "S32")
    throw Unsupported{"CC of these formats"};
  d.take("S32");
  d.op.dst = destination_cc(d);
  d.op.src[0] = d.source();
  d.op.execute = exec_i2i_codes;
}

/// POPC of the bits that both operands have; printed with one operand, of that.
void exec_popc(Context& c, const MicroOp& op, std::uint32_t mask) {
  map2(c, op, mask, [](std::uint32_t x, std::uint32_t y) { return static_cast<std::uint32_t>(std::popcount(x & y)); });
}
void decode_popc(Decoder& d) {
  d.op.dst = d.destination();
  d.op.src[0] = d.source();
  d.op.src[1] = d.left() > 0 ? d.source() : d.op.src[0];
  d.op.execute = exec_popc;
}

// LDSLK loads from shared memory and locks what it loads; its predicate says for which threads. STSCUL stores and
// unlocks. Compiled code tries again for threads without a lock. Assumed: each word has its own lock, and of the
// threads of a warp that want the same one, the first gets it.

void shared_places(Context& c, const MicroOp& op, std::uint32_t mask, Lanes64& addresses, Access& access) {
  lane_addresses(c, op, addresses);
  resolve(c, op, isa::Space::shared, addresses, op.size, mask, access);
}

void exec_load_and_lock(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes64 addresses;
  Access access;
  shared_places(c, op, mask, addresses, access);
  ask(c, op, addresses, mask);
  std::vector<std::uint64_t>& locked = c.block.locked;
  std::uint32_t got = 0;
  Lanes words[2];
  for_lanes(mask, [&](int lane) {
    for (unsigned word = 0; word < op.size / 4u; ++word)
      std::memcpy(&words[word].v[lane], access.at[lane] + 4 * word, 4);
    if (std::ranges::find(locked, addresses.v[lane]) != locked.end()) return;
    locked.push_back(addresses.v[lane]);
    got |= 1u << lane;
  });
  if (got != 0) ++c.grid.changes;
  for (unsigned word = 0; word < op.size / 4u; ++word)
    c.write(static_cast<std::uint8_t>(op.dst + word), words[word], mask);
  c.write_predicate(op.pdst, got, mask);
}
void exec_store_and_unlock(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes64 addresses;
  Access access;
  shared_places(c, op, mask, addresses, access);
  for (unsigned word = 0; word < op.size / 4u; ++word) {
    Lanes scratch;
    Source source = op.src[0];
    source.index = static_cast<std::uint8_t>(source.index + word);
    const std::uint32_t* value = fetch_raw(c, source, scratch);
    for_lanes(mask, [&](int lane) { std::memcpy(access.at[lane] + 4 * word, &value[lane], 4); });
  }
  ++c.grid.changes;
  for_lanes(mask, [&](int lane) { std::erase(c.block.locked, addresses.v[lane]); });
  c.write_predicate(op.pdst, kAllLanes, mask);
}
void decode_locked(Decoder& d) {
  const bool loads = d.instruction().opcode == "LDSLK";
  decode_width(d);
  d.op.space = static_cast<std::uint8_t>(isa::Space::shared);
  d.op.memory = d.op.contends = true;
  if (d.op.size < 4 || d.op.size > 8) throw Unsupported{"this width"};
  d.op.pdst = d.predicate_destination();
  if (loads) d.op.dst = d.destination();
  d.op.address = d.address();
  if (!loads) d.op.src[0] = d.source();
  d.op.execute = loads ? exec_load_and_lock : exec_store_and_unlock;
}

constexpr Semantics kRows[] = {
    {"LDSLK", decode_locked, Exactness::exact, "each word has its own lock (assumed)", 35, isa::InstructionSet::sass64},
    {"STSCUL", decode_locked, Exactness::exact, "", 35, isa::InstructionSet::sass64},
    sass64("POPC", decode_popc),
    sass64("MOV32I", decode_same<kMov>),
    sass64("FADD32I", decode_same<kFadd>),
    sass64("FMUL32I", decode_same<kFmul>),
    sass64("FFMA32I", decode_same<kFfma>),
    sass64("HADD2_32I", decode_same<kHadd2>),
    sass64("HMUL2_32I", decode_same<kHmul2>),
    sass64("HFMA2_32I", decode_same<kHfma2>),
    sass64("CS2R", decode_same<kS2r>, Exactness::exact,
           "32 bits; clock, timer and SM number come from the timing model"),
    sass64("RRO", decode_rro, Exactness::approximate, "its result has a format that only MUFU reads"),
    sass64("F2F", decode_f2f),
    sass64("F2I", decode_f2i),
    sass64("I2I", decode_i2i),
    sass64("TEXDEPBAR", decode_same<kNop>),
};

}  // namespace

std::span<const Semantics> sass64_other_semantics() { return kRows; }

}  // namespace sassim::emu
