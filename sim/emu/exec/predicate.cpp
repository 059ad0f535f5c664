// SPDX-License-Identifier: Apache-2.0
// Executes predicate logic and moves between predicates and registers.
#include "sim/emu/core/semantics.h"
#include "sim/emu/exec/lane_loops.h"

namespace sassim::emu {
namespace {

std::uint32_t table_lookup(std::uint8_t table, std::uint32_t a, std::uint32_t b, std::uint32_t d) {
  std::uint32_t bits = 0;
  for (unsigned k = 0; k < 8; ++k)
    if ((table >> k & 1) != 0) bits |= ((k & 4) != 0 ? a : ~a) & ((k & 2) != 0 ? b : ~b) & ((k & 1) != 0 ? d : ~d);
  return bits;
}

/// The value of PLOP3's operand k: a predicate, or the sign bits of a register (bit k of the flags).
std::uint32_t truth(Context& c, const MicroOp& op, unsigned k) {
  if ((op.flags >> k & 1) == 0) return c.predicate(op.psrc[k]);
  Lanes scratch;
  const std::uint32_t* value = fetch_raw(c, op.src[k], scratch);
  const std::uint32_t bits = gather_bits([&](int i) { return (value[i] >> 31) != 0; });
  return op.src[k].invert || op.src[k].negate ? ~bits : bits;
}

void exec_plop3(Context& c, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t a = truth(c, op, 0), b = truth(c, op, 1), d = truth(c, op, 2);
  c.write_predicate(op.pdst, table_lookup(op.mode, a, b, d), mask);
  c.write_predicate(op.pdst2, table_lookup(op.mode2, a, b, d), mask);
}
void decode_plop3(Decoder& d) {
  d.ignore({"LUT"});
  d.op.pdst = d.predicate_destination();
  d.op.pdst2 = d.predicate_destination();
  for (unsigned k = 0; k < 3; ++k) {
    if (d.next_is(isa::OperandKind::reg)) {
      const isa::Operand& operand = d.instruction().operands[d.instruction().operands.size() - d.left()];
      if (!operand.has("SIGN")) throw Unsupported{"a register that is not read for its sign"};
      d.op.src[k] = d.source();
      d.op.flags |= 1u << k;
    } else {
      d.op.psrc[k] = d.predicate();
    }
  }
  d.op.mode = static_cast<std::uint8_t>(d.immediate());
  d.op.mode2 = static_cast<std::uint8_t>(d.immediate());
  d.op.execute = exec_plop3;
}

void name_of_file(Decoder& d) {
  if (d.next().kind != isa::OperandKind::pred_file) throw Unsupported{"only the predicate file PR is supported"};
}

std::uint32_t predicate_bits(const Context& c, int lane) {
  std::uint32_t bits = 0;
  for (unsigned k = 0; k < 7; ++k) bits |= (c.warp.predicates[k] >> lane & 1) << k;
  return bits;
}

/// Packs the predicates that the mask names into one byte of a register.
void exec_p2r(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes s0, s1, out;
  const std::uint32_t* old = fetch_raw(c, op.src[0], s0);
  const std::uint32_t* which = fetch_raw(c, op.src[1], s1);
  const unsigned shift = 8u * op.mode;
  for (int i = 0; i < 32; ++i) {
    const std::uint32_t select = which[i] & 0xff;
    out.v[i] = (old[i] & ~(select << shift)) | (predicate_bits(c, i) & select) << shift;
  }
  c.write(op.dst, out, mask);
}
void decode_p2r(Decoder& d) {
  d.op.mode = static_cast<std::uint8_t>(d.take_one_of({"B0", "B1", "B2", "B3"}, 0));
  d.op.dst = d.destination();
  name_of_file(d);
  d.op.src[0] = d.source();
  d.op.src[1] = d.source();
  d.op.execute = exec_p2r;
}

void exec_r2p(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes s0, s1;
  const std::uint32_t* value = fetch_raw(c, op.src[0], s0);
  const std::uint32_t* which = fetch_raw(c, op.src[1], s1);
  for_lanes(mask, [&](int lane) {
    for (unsigned k = 0; k < 7; ++k)
      if ((which[lane] >> k & 1) != 0)
        c.write_predicate(static_cast<std::uint8_t>(k), (value[lane] >> (8u * op.mode + k) & 1) != 0 ? kAllLanes : 0u,
                          1u << lane);
  });
}
void decode_r2p(Decoder& d) {
  name_of_file(d);
  const isa::Operand& operand = d.instruction().operands.at(1);
  d.op.mode = operand.has("B1") ? 1 : operand.has("B2") ? 2 : operand.has("B3") ? 3 : 0;
  d.op.mode = static_cast<std::uint8_t>(d.take_one_of({"B0", "B1", "B2", "B3"}, d.op.mode));
  d.op.src[0] = d.source();
  d.op.src[1] = d.source();
  d.op.execute = exec_r2p;
}

constexpr Semantics kRows[] = {{"PLOP3", decode_plop3}, {"P2R", decode_p2r}, {"R2P", decode_r2p}};

}  // namespace

std::span<const Semantics> predicate_semantics() { return kRows; }

}  // namespace sassim::emu
