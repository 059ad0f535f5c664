// SPDX-License-Identifier: Apache-2.0
// 8x8 matrices of 16-bit elements: loaded from shared memory (LDSM), stored to it (STSM) and transposed in registers
// (MOVM). Lane t holds the elements 2 * (t mod 4) and 2 * (t mod 4) + 1 of row t / 4 (PTX ISA, ldmatrix).
#include "sim/emu/core/memory_access.h"

namespace sassim::emu {
namespace {

using isa::Space;

std::uint32_t pair(std::uint16_t low, std::uint16_t high) { return low | std::uint32_t{high} << 16; }

/// Writes rows[r][c] to the lanes.
void distribute(const std::uint16_t (&rows)[8][8], bool transposed, Lanes& out) {
  for (std::uint32_t t = 0; t < 32; ++t) {
    const std::uint32_t r = t / 4, k = t % 4 * 2;
    out.v[t] = transposed ? pair(rows[k][r], rows[k + 1][r]) : pair(rows[r][k], rows[r][k + 1]);
  }
}

void exec_ldsm(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes64 addresses;
  Access access;
  lane_offsets(c, op.address, addresses);
  const std::uint32_t providers = op.mode == 4 ? kAllLanes : (1u << (8 * op.mode)) - 1;
  if ((mask & providers) != providers)
    c.fault(FaultKind::illegal_instruction, op, first_lane(mask), 0, "LDSM in a diverged warp");
  resolve(c, op, Space::shared, addresses, 16, providers, access);
  for (unsigned m = 0; m < op.mode; ++m) {
    std::uint16_t rows[8][8];
    for (unsigned r = 0; r < 8; ++r) std::memcpy(rows[r], access.at[8 * m + r], 16);
    Lanes out;
    distribute(rows, op.flags != 0, out);
    c.write(static_cast<std::uint8_t>(op.dst + m), out, mask);
  }
}
/// Reads what LDSM and STSM share: one, two or four matrices, transposed or not.
void decode_matrices(Decoder& d) {
  if (!d.take("16")) throw Unsupported{"only 16-bit elements are supported"};
  d.op.flags = d.take("MT88") ? 1 : 0;
  d.ignore({"M88"});
  d.op.mode = d.take("4") ? 4 : d.take("2") ? 2 : 1;
  d.op.space = static_cast<std::uint8_t>(Space::shared);
  d.op.memory = true;
}
void decode_ldsm(Decoder& d) {
  decode_matrices(d);
  d.op.dst = d.destination();
  d.op.address = d.address();
  d.op.execute = exec_ldsm;
}

/// Reads rows[r][c] from the lanes.
void collect(const std::uint32_t* in, bool transposed, std::uint16_t (&rows)[8][8]) {
  for (std::uint32_t t = 0; t < 32; ++t)
    for (std::uint32_t half = 0; half < 2; ++half) {
      const std::uint32_t r = t / 4, k = t % 4 * 2 + half;
      (transposed ? rows[k][r] : rows[r][k]) = static_cast<std::uint16_t>(in[t] >> 16 * half);
    }
}

void exec_stsm(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes64 addresses;
  Access access;
  lane_offsets(c, op.address, addresses);
  const std::uint32_t providers = op.mode == 4 ? kAllLanes : (1u << (8 * op.mode)) - 1;
  if (mask != kAllLanes) c.fault(FaultKind::illegal_instruction, op, first_lane(mask), 0, "STSM in a diverged warp");
  resolve(c, op, Space::shared, addresses, 16, providers, access);
  ++c.grid.changes;
  for (unsigned m = 0; m < op.mode; ++m) {
    std::uint16_t rows[8][8];
    collect(c.read_row(static_cast<std::uint8_t>(op.src[0].index + m)), op.flags != 0, rows);
    for (unsigned r = 0; r < 8; ++r) std::memcpy(access.at[8 * m + r], rows[r], 16);
  }
}
void decode_stsm(Decoder& d) {
  decode_matrices(d);
  d.op.address = d.address();
  d.op.src[0] = d.source();
  d.op.execute = exec_stsm;
}

void exec_movm(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes scratch, out;
  const std::uint32_t* in = fetch_raw(c, op.src[0], scratch);
  std::uint16_t rows[8][8];
  collect(in, false, rows);
  distribute(rows, true, out);
  c.write(op.dst, out, mask);
}
void decode_movm(Decoder& d) {
  if (!d.take("16") || !d.take("MT88")) throw Unsupported{"only MOVM.16.MT88 is supported"};
  d.op.dst = d.destination();
  d.op.src[0] = d.source();
  d.op.execute = exec_movm;
}

constexpr Semantics kRows[] = {
    {"LDSM", decode_ldsm, Exactness::exact, "", 75},
    {"STSM", decode_stsm, Exactness::exact, "", 90},
    {"MOVM", decode_movm, Exactness::exact, "", 75},
};

}  // namespace

std::span<const Semantics> matrix_memory_semantics() { return kRows; }

}  // namespace sassim::emu
