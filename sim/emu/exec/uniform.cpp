// SPDX-License-Identifier: Apache-2.0
// Executes instructions of the uniform datapath: the vector opcode of the same name, executed once per warp.
// `Context::uniform` sends the results to uniform registers and predicates.
#include "sim/emu/core/semantics.h"
#include "sim/emu/exec/lane_loops.h"
#include "sim/emu/exec/special.h"

namespace sassim::emu {
namespace {

void exec_uniform(Context& c, const MicroOp& op, std::uint32_t) {
  c.uniform = true;
  op.inner(c, op, 1);
  c.uniform = false;
}

/// A constant at a uniform register's address: the trace keeps the address, because the code alone does not determine
/// it.
void exec_indexed_uldc(Context& c, const MicroOp& op, std::uint32_t mask) {
  const Source& source = op.src[0];
  const std::uint64_t address = std::uint64_t{source.bank} << 32 | (source.offset + c.fragment->ur[source.base]);
  exec_uniform(c, op, mask);
  if (c.step) c.step->addresses.set_affine(address, 0);
}

void decode_uniform(Decoder& d) {
  const Semantics* vector = find_semantics(std::string_view(d.instruction().opcode).substr(1));
  vector->decode(d);
  d.op.inner = d.op.execute;
  d.op.execute = exec_uniform;
  d.op.memory = false;
}

void decode_uldc(Decoder& d) {
  decode_uniform(d);
  if (d.op.src[0].kind != SourceKind::constant || !d.op.src[0].uniform_base) return;
  d.op.execute = exec_indexed_uldc;
  d.op.memory = true;
}

void exec_s2ur(Context& c, const MicroOp& op, std::uint32_t mask) {
  if (op.dst != isa::kRZ) c.fragment->ur[op.dst] = special_of_warp(c, op, op.mode, first_lane(mask));
}
void decode_s2ur(Decoder& d) {
  d.op.dst = d.destination();
  d.op.mode = special_operand(d);
  d.op.execute = exec_s2ur;
}

/// Reads the first active lane's value. The predicate is true in lanes with another value: compiled code loops over
/// those.
void exec_r2ur(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes scratch;
  const std::uint32_t* value = fetch_raw(c, op.src[0], scratch);
  const std::uint32_t chosen = value[first_lane(mask)];
  if (op.dst != isa::kRZ) c.fragment->ur[op.dst] = chosen;
  std::uint32_t others = gather_bits([&](int i) { return value[i] != chosen; });
  if (op.mode != 0) others |= c.predicate({op.pdst});  // .OR: adds the lanes of earlier instructions
  c.write_predicate(op.pdst, others, mask);
}
void decode_r2ur(Decoder& d) {
  d.op.mode = d.take("OR") ? 1 : 0;
  d.op.pdst = d.optional_predicate_destination();
  d.op.dst = d.destination();
  d.op.src[0] = d.source();
  d.op.execute = exec_r2ur;
}

/// Packs the uniform predicates that the mask names into a uniform register.
void exec_up2ur(Context& c, const MicroOp& op, std::uint32_t) {
  const std::uint32_t old = fetch_uniform(c, op.src[0]), which = fetch_uniform(c, op.src[1]) & 0x7f;
  if (op.dst != isa::kRZ) c.fragment->ur[op.dst] = (old & ~which) | (c.fragment->up & which);
}
void decode_up2ur(Decoder& d) {
  d.op.dst = d.destination();
  if (d.next().kind != isa::OperandKind::pred_file) throw Unsupported{"only the predicate file UPR is supported"};
  d.op.src[0] = d.source();
  d.op.src[1] = d.source();
  d.op.execute = exec_up2ur;
}

constexpr Semantics uniform(std::string_view mnemonic) { return {mnemonic, decode_uniform, Exactness::exact, "", 75}; }

constexpr Semantics kRows[] = {
    uniform("UIADD3"),
    uniform("UIMAD"),
    uniform("ULEA"),
    uniform("ULOP3"),
    uniform("UISETP"),
    uniform("USHF"),
    uniform("UMOV"),
    uniform("USEL"),
    uniform("UPRMT"),
    uniform("UPOPC"),
    uniform("UFLO"),
    uniform("UBREV"),
    uniform("UBMSK"),
    uniform("USGXT"),
    uniform("UPLOP3"),
    {"ULDC", decode_uldc, Exactness::exact, "", 75},
    uniform("UIMNMX"),
    uniform("UIABS"),
    {"S2UR", decode_s2ur, Exactness::exact, "clock, timer and SM number come from the timing model", 75},
    {"R2UR", decode_r2ur, Exactness::exact, "", 75},
    {"UP2UR", decode_up2ur, Exactness::exact, "", 75},
};

}  // namespace

std::span<const Semantics> uniform_semantics() { return kRows; }

}  // namespace sassim::emu
