// SPDX-License-Identifier: Apache-2.0
// Executes matrix multiply-accumulate over the lanes of a warp. Fragment layouts: PTX ISA, "matrix fragments for mma".
#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstring>

#include "sim/emu/core/semantics.h"
#include "sim/emu/exec/float_lanes.h"
#include "sim/emu/exec/half.h"
#include "sim/emu/exec/lane_loops.h"
#include "sim/emu/exec/tensor_lanes.h"
#include "sim/emu/exec/tensor_math.h"

namespace sassim::emu {
namespace {

enum Element : std::uint8_t { e_f16, e_bf16, e_tf32 };
enum Flag : std::uint32_t {
  kHalfResult = 1,
  kHalfAccumulator = 2,
  kRowA = 4,
  kRowB = 8,
  kSignedA = 16,
  kSignedB = 32,
  kSaturate = 64,
  kSparse = 128
};

const std::uint32_t* row_of(Context& c, const Source& source, unsigned offset) {
  if (source.kind == SourceKind::zero) return kZeroLanes.v;
  return c.read_row(static_cast<std::uint8_t>(source.index + offset));
}

float element16(std::uint8_t type, std::uint32_t word, unsigned half) {
  const auto bits = static_cast<std::uint16_t>(word >> (16 * half));
  return type == e_bf16 ? bfloat_to_float(bits) : half_to_float(bits);
}

/// Where the accumulator or result at (row, column) of an 8-column tile is: its lane, and its index within the lane.
struct Place {
  unsigned lane, index;
};
Place place_of(unsigned row, unsigned column) { return {row % 8 * 4 + column / 2, row / 8 * 2 + column % 2}; }

float read_accumulator(Context& c, const MicroOp& op, Place at) {
  if ((op.flags & kHalfAccumulator) == 0) return std::bit_cast<float>(row_of(c, op.src[2], at.index)[at.lane]);
  return element16(e_f16, row_of(c, op.src[2], at.index / 2)[at.lane], at.index % 2);
}

void write_result(Lanes* out, Place at, float sum, bool half) {
  if (half)
    out[at.index / 2].v[at.lane] |= std::uint32_t{float_to_half(sum)} << (16 * (at.index % 2));
  else
    out[at.index].v[at.lane] = std::bit_cast<std::uint32_t>(sum);
}

// HMMA m16n8kK: 1684, 1688, 16816 and sparse 16832.

/// Reads `count` elements of each line (a row of A or a column of B) from registers. Four lanes hold a line; its word k
/// is in register `at(k, line)`.
template <class Matrix, class Register>
void gather(Context& c, const MicroOp& op, const Source& source, Matrix& out, unsigned count, Register at) {
  const unsigned per_word = op.mode == e_tf32 ? 1 : 2, span = 4 * per_word;
  for (unsigned k = 0; k < count; ++k)
    for (unsigned line = 0; line < std::size(out); ++line) {
      const std::uint32_t word = row_of(c, source, at(k / span, line))[line % 8 * 4 + k % span / per_word];
      out[line][k] = op.mode == e_tf32 ? std::bit_cast<float>(word & 0xffffe000u) : element16(op.mode, word, k % 2);
    }
}

/// `factors(row, column)`: the elements of B's column that are multiplied by the `count` elements of A's row.
template <class Factors>
void multiply_16xk(Context& c, const MicroOp& op, std::uint32_t mask, const float (&a)[16][16], unsigned count,
                   Factors factors) {
  const DotProduct dot{c.grid.kernel->architecture().tensor, (op.flags & kHalfResult) != 0};
  Lanes out[4] = {};
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned column = 0; column < 8; ++column) {
      const Place at = place_of(row, column);
      const float sum = dot(a[row], factors(row, column), static_cast<int>(count), read_accumulator(c, op, at));
      write_result(out, at, sum, dot.half_result);
    }
  for (unsigned k = 0; k < (dot.half_result ? 2u : 4u); ++k)
    c.write(static_cast<std::uint8_t>(op.dst + k), out[k], mask);
}

/// Eight rows of A by eight columns of B, with `depth` elements each: results[row][column] += row * column, for the
/// rows in `rows`.
void multiply_8x8(const DotProduct& dot, TensorFactors& a, TensorFactors& b, int depth, unsigned rows,
                  float (&results)[8][8]) {
  const bool finite_a = a.prepare(depth), finite = b.prepare(depth) && finite_a;
  if (finite) rows = multiply_rows(dot, a, b, depth, rows, results);
  for (; rows != 0; rows &= rows - 1) {
    const int row = std::countr_zero(rows);
    float line[kTensorDepth], column_of_b[kTensorDepth];
    for (int k = 0; k < depth; ++k) line[k] = a.factor[k][row];
    for (int column = 0; column < 8; ++column) {
      for (int k = 0; k < depth; ++k) column_of_b[k] = b.factor[k][column];
      results[row][column] = dot(line, column_of_b, depth, results[row][column]);
    }
  }
}

/// Eight lines of a matrix, whose n-th words are in register `first` + n * `step`.
void gather_lines(Context& c, const MicroOp& op, const Source& source, unsigned first, unsigned step,
                  TensorFactors& lines) {
  const unsigned per_word = op.mode == e_tf32 ? 1 : 2;
  for (unsigned k = 0; k < op.size; k += 4 * per_word) {
    const std::uint32_t* words = row_of(c, source, first + k / (4 * per_word) * step);
    float lower[32], upper[32];
    if (op.mode == e_f16) floats_of_halves(words, lower, upper);
    for (unsigned lane = 0; lane < 32 && op.mode != e_f16; ++lane) {
      lower[lane] =
          op.mode == e_tf32 ? std::bit_cast<float>(words[lane] & 0xffffe000u) : element16(e_bf16, words[lane], 0);
      upper[lane] = element16(e_bf16, words[lane], 1);
    }
    for (unsigned lane = 0; lane < 32; ++lane) {
      lines.factor[k + lane % 4 * per_word][lane / 4] = lower[lane];
      if (per_word == 2) lines.factor[k + lane % 4 * 2 + 1][lane / 4] = upper[lane];
    }
  }
}

void exec_hmma(Context& c, const MicroOp& op, std::uint32_t mask) {
  const DotProduct dot{c.grid.kernel->architecture().tensor, (op.flags & kHalfResult) != 0};
  TensorFactors a, b;
  gather_lines(c, op, op.src[1], 0, 1, b);
  Lanes out[4] = {};
  for (unsigned half = 0; half < 2; ++half) {
    gather_lines(c, op, op.src[0], half, 2, a);
    float even[32], odd[32], sums[8][8];  // a lane has two neighbours of a row
    if ((op.flags & kHalfAccumulator) != 0) {
      floats_of_halves(row_of(c, op.src[2], half), even, odd);
    } else {
      std::memcpy(even, row_of(c, op.src[2], 2 * half), sizeof even);
      std::memcpy(odd, row_of(c, op.src[2], 2 * half + 1), sizeof odd);
    }
    for (unsigned lane = 0; lane < 32; ++lane) {
      sums[lane / 4][lane % 4 * 2] = even[lane];
      sums[lane / 4][lane % 4 * 2 + 1] = odd[lane];
    }
    multiply_8x8(dot, a, b, op.size, 0xff, sums);
    for (unsigned lane = 0; lane < 32; ++lane) {
      even[lane] = sums[lane / 4][lane % 4 * 2];
      odd[lane] = sums[lane / 4][lane % 4 * 2 + 1];
    }
    if (dot.half_result) {
      halves_of_floats(even, odd, out[half].v);
    } else {
      std::memcpy(out[2 * half].v, even, sizeof even);
      std::memcpy(out[2 * half + 1].v, odd, sizeof odd);
    }
  }
  for (unsigned k = 0; k < (dot.half_result ? 2u : 4u); ++k)
    c.write(static_cast<std::uint8_t>(op.dst + k), out[k], mask);
}

// mma.sp: of every four elements of a row of A, two are stored (of TF32, one of two); a fourth operand says which.

/// The places of the stored elements of one group: four bits with two places of 0 to 3, the lower place first. One lane
/// of the four that hold a row has this row's bits, or two lanes do; `op.mode2` says which. A lane has sixteen bits of
/// its row and sixteen of the row eight further down. For bytes, each of the four lanes has some of the bits.
unsigned positions(Context& c, const MicroOp& op, unsigned row, unsigned group, unsigned groups, bool bytes) {
  unsigned lane = 0, bit = 0;
  if (bytes) {
    lane = group / 8 * 2 + row / 8, bit = group % 8 * 4;
    if (groups == 8) lane += 2u * op.mode2;
  } else {
    lane = groups == 4 ? op.mode2 : 2u * op.mode2 + group / 4;
    bit = row / 8 * 16 + group % 4 * 4;
  }
  return row_of(c, op.src[3], 0)[row % 8 * 4 + lane] >> bit & 15;
}

void exec_sparse_hmma(Context& c, const MicroOp& op, std::uint32_t mask) {
  float a[16][16], b[8][32], met[16];
  const bool pairs = op.mode == e_tf32;
  const unsigned count = op.size / 2u, groups = pairs ? count : count / 2;
  gather(c, op, op.src[0], a, count, [](unsigned word, unsigned row) { return 2 * word + row / 8; });
  gather(c, op, op.src[1], b, op.size, [](unsigned word, unsigned) { return word; });
  multiply_16xk(c, op, mask, a, count, [&](unsigned row, unsigned column) {
    for (unsigned k = 0; k < count; ++k) {
      const unsigned bits = positions(c, op, row, pairs ? k : k / 2, groups, false);
      met[k] = b[column][pairs ? 2 * k + (bits & 3) / 2 : k / 2 * 4 + (bits >> (k % 2 * 2) & 3)];
    }
    return met;
  });
}

// Volta's m8n8k4 by quad pairs: the lanes l to l+3 and l+16 to l+19 (l = 0, 4, 8, 12) multiply 8x4 by 4x8 elements.
// Each instruction is a step that computes some columns of the result, two in single or four in half precision for each
// lane. Tables say where the factors of a lane's result are.

/// `line(t)`: the row of A or column of B of the result, for thread t of a quad pair. `along`: a thread holds elements
/// of one line; otherwise, one of each of four.
template <class Line>
constexpr QuadPlaces places(bool along, Line line) {
  QuadPlaces found{};
  for (unsigned lane = 0; lane < 32; ++lane) {
    const unsigned pair = lane % 16 / 4, wanted = line(lane % 4 + lane / 16 * 4);
    for (unsigned k = 0; k < 4; ++k) {
      const unsigned element = along ? k : wanted % 4, holder = along ? wanted : wanted / 4 * 4 + k;
      found[k * 32 + lane] = static_cast<std::uint8_t>(element * 32 + 4 * pair + holder % 4 + holder / 4 * 16);
    }
  }
  return found;
}

/// By `along`; then, for A, by whether the step is odd, and for B by the result among the lane's eight.
struct QuadTables {
  std::array<std::array<QuadPlaces, 2>, 2> a;
  std::array<std::array<QuadPlaces, 8>, 2> b;
};

constexpr QuadTables quad_tables(bool half_result) {
  QuadTables tables{};
  for (const bool along : {false, true}) {
    for (unsigned odd = 0; odd < 2; ++odd)
      tables.a[along][odd] = places(along, [&](unsigned t) { return half_result ? t : (t & 1) + 2 * odd + t / 4 * 4; });
    for (unsigned i = 0; i < 8; ++i)
      tables.b[along][i] = places(along, [&](unsigned t) { return half_result ? i : (i & 4) + (t & 2) + (i & 1); });
  }
  return tables;
}

constexpr QuadTables kQuadTables[] = {quad_tables(false), quad_tables(true)};  // by `half_result`

void read_elements(Context& c, const Source& source, QuadElements& elements) {
  for (unsigned word = 0; word < 2; ++word)
    floats_of_halves(row_of(c, source, word), elements[2 * word], elements[2 * word + 1]);
}

void exec_hmma884(Context& c, const MicroOp& op, std::uint32_t mask) {
  const DotProduct dot{c.grid.kernel->architecture().tensor, (op.flags & kHalfResult) != 0};
  const QuadTables& tables = kQuadTables[dot.half_result];
  const unsigned results = dot.half_result ? 4 : 2;
  QuadElements of_a, of_b, sums;
  read_elements(c, op.src[0], of_a);
  read_elements(c, op.src[1], of_b);
  if (dot.half_result)
    read_elements(c, op.src[2], sums);
  else
    for (unsigned k = 0; k < 2; ++k) std::memcpy(sums[k], row_of(c, op.src[2], k), sizeof sums[k]);
  LaneFactors a, b;
  const bool finite_a = a.pick(of_a, tables.a[(op.flags & kRowA) != 0][op.mode2 % 2]);
  for (unsigned k = 0; k < results; ++k) {
    const bool finite = b.pick(of_b, tables.b[(op.flags & kRowB) == 0][(op.mode2 * results + k) % 8]) && finite_a;
    std::uint32_t left = finite ? multiply_lanes(dot, a, b, sums[k]) : ~0u;
    for (; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      float row[kQuadDepth], column[kQuadDepth];
      for (int i = 0; i < kQuadDepth; ++i) row[i] = a.factor[i][lane], column[i] = b.factor[i][lane];
      sums[k][lane] = dot(row, column, kQuadDepth, sums[k][lane]);
    }
  }
  Lanes out[2];
  for (unsigned k = 0; k < 2; ++k) {
    if (dot.half_result)
      halves_of_floats(sums[2 * k], sums[2 * k + 1], out[k].v);
    else
      std::memcpy(out[k].v, sums[k], sizeof sums[k]);
    c.write(static_cast<std::uint8_t>(op.dst + k), out[k], mask);
  }
}

bool operand_is_row(const Decoder& d, std::size_t index) { return d.instruction().operands.at(index).has("ROW"); }

void take_positions(Decoder& d) {
  d.op.src[3] = d.source();
  d.op.mode2 = static_cast<std::uint8_t>(d.immediate());
}

void decode_hmma(Decoder& d) {
  const bool quad_pairs = d.take("884"), sparse = d.take("SP");
  const int shape = d.take_one_of({"1684", "1688", "16816", "16832"}, -1);
  if (!quad_pairs && (shape < 0 || (shape == 3 && !sparse))) throw Unsupported{"this shape"};
  static constexpr std::uint8_t kDepth[] = {4, 8, 16, 32};
  d.op.size = quad_pairs ? 4 : kDepth[shape];
  d.op.mode = d.take("TF32") ? e_tf32 : d.take("BF16") ? e_bf16 : e_f16;
  // .F32 alone or .F32.F32: accumulator and result in single precision; .F16: both in half precision.
  const auto& names = d.instruction().modifiers;
  std::vector<bool> halves;
  for (const std::string& name : names)
    if (name == "F32" || name == "F16") halves.push_back(name == "F16");
  d.ignore({"F32", "F16"});
  if (halves.empty()) throw Unsupported{"an unnamed result type"};
  if (halves.front()) d.op.flags |= kHalfResult;
  if (halves.back()) d.op.flags |= kHalfAccumulator;
  d.op.mode2 = static_cast<std::uint8_t>(d.take_one_of({"STEP0", "STEP1", "STEP2", "STEP3"}, 0));
  if (operand_is_row(d, 1)) d.op.flags |= kRowA;
  if (operand_is_row(d, 2)) d.op.flags |= kRowB;
  d.op.dst = d.destination();
  for (int k = 0; k < 3; ++k) d.op.src[k] = d.source();
  if (sparse) take_positions(d);
  if (d.left() > 0) d.predicate();
  if (quad_pairs && (d.op.flags & (kHalfResult | kHalfAccumulator)) != 0 && halves.front() != halves.back())
    throw Unsupported{"an accumulator of another type than the result"};
  d.op.execute = quad_pairs ? exec_hmma884 : sparse ? exec_sparse_hmma : exec_hmma;
}

// IMMA: bytes 8816 (Turing), 16816, 16832 (sparse: 16832, 16864); four-bit numbers 8832, 16832, 16864.

[[gnu::always_inline]] inline std::int32_t element_of(std::uint32_t word, unsigned bits, unsigned part,
                                                      bool is_signed) {
  const std::uint32_t upper = word << (32 - bits * (part + 1));
  return is_signed ? static_cast<std::int32_t>(upper) >> (32 - bits) : static_cast<std::int32_t>(upper >> (32 - bits));
}

/// A value for each of the eight columns.
using Columns [[gnu::vector_size(32)]] = std::int32_t;

/// A row of A by all columns of B at once; four lanes hold a row or a column, one word for each lane and register. The
/// sums of products fit into 32 bits.
template <unsigned kBits>
SASSIM_LANE_LOOP void exec_imma(Context& c, const MicroOp& op, std::uint32_t mask) {
  constexpr unsigned kPerWord = 32 / kBits;
  const bool signed_a = (op.flags & kSignedA) != 0, signed_b = (op.flags & kSignedB) != 0;
  const unsigned rows = op.mode, depth = op.size;  // depth in words
  Columns b[64];
  for (unsigned word = 0; word < depth; ++word) {
    const std::uint32_t* const words = row_of(c, op.src[1], word / 4) + word % 4;
    for (unsigned k = 0; k < kPerWord; ++k)
      for (unsigned column = 0; column < 8; ++column)
        b[word * kPerWord + k][column] = element_of(words[column * 4], kBits, k, signed_b);
  }
  Lanes out[4] = {};
  for (unsigned row = 0; row < rows; ++row) {
    Columns products{};
    for (unsigned word = 0; word < depth; ++word) {
      const unsigned index = rows == 16 ? word / 4 * 2 + row / 8 : word / 4;
      const std::uint32_t a = row_of(c, op.src[0], index)[row % 8 * 4 + word % 4];
      for (unsigned k = 0; k < kPerWord; ++k) products += element_of(a, kBits, k, signed_a) * b[word * kPerWord + k];
    }
    for (unsigned column = 0; column < 8; ++column) {
      const Place at = place_of(row, column);
      std::int64_t sum =
          std::int64_t{static_cast<std::int32_t>(row_of(c, op.src[2], at.index)[at.lane])} + products[column];
      if ((op.flags & kSaturate) != 0) sum = std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX);
      out[at.index].v[at.lane] = static_cast<std::uint32_t>(sum);
    }
  }
  for (unsigned k = 0; k < rows / 8 * 2; ++k) c.write(static_cast<std::uint8_t>(op.dst + k), out[k], mask);
}

void exec_sparse_imma(Context& c, const MicroOp& op, std::uint32_t mask) {
  const bool signed_a = (op.flags & kSignedA) != 0, signed_b = (op.flags & kSignedB) != 0;
  const auto byte = [&](const Source& source, unsigned lines, unsigned line, unsigned k, bool is_signed) {
    const unsigned word = k / 4;
    return element_of(row_of(c, source, word / 4 * lines + line / 8)[line % 8 * 4 + word % 4], 8, k % 4, is_signed);
  };
  Lanes out[4] = {};
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned column = 0; column < 8; ++column) {
      const Place at = place_of(row, column);
      std::int64_t sum = static_cast<std::int32_t>(row_of(c, op.src[2], at.index)[at.lane]);
      for (unsigned k = 0; k < op.size * 2u; ++k) {
        const unsigned place = positions(c, op, row, k / 2, op.size, true) >> (k % 2 * 2) & 3;
        sum += byte(op.src[0], 2, row, k, signed_a) * byte(op.src[1], 1, column, k / 2 * 4 + place, signed_b);
      }
      if ((op.flags & kSaturate) != 0) sum = std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX);
      out[at.index].v[at.lane] = static_cast<std::uint32_t>(sum);
    }
  for (unsigned k = 0; k < 4; ++k) c.write(static_cast<std::uint8_t>(op.dst + k), out[k], mask);
}

void matrix_operands(Decoder& d) {
  d.op.dst = d.destination();
  for (int k = 0; k < 3; ++k) d.op.src[k] = d.source();
  if ((d.op.flags & kSparse) != 0) take_positions(d);
  if (d.left() > 0) d.predicate();
}

void decode_imma(Decoder& d) {
  const int shape = d.take_one_of({"8816", "16816", "16832", "8832", "16864"}, -1);
  if (shape < 0) throw Unsupported{"this shape"};
  static constexpr std::uint8_t kDepth[] = {16, 16, 32, 32, 64};
  std::vector<std::string> types;
  for (const std::string& name : d.instruction().modifiers)
    if (name == "S8" || name == "U8" || name == "S4" || name == "U4") types.push_back(name);
  d.ignore({"S8", "U8", "S4", "U4"});
  if (types.size() != 2 || types[0][1] != types[1][1]) throw Unsupported{"these element types"};
  const bool bytes = types[0][1] == '8', sparse = d.take("SP");
  if (sparse && (!bytes || (shape != 2 && shape != 4))) throw Unsupported{"this shape"};
  d.op.mode = shape == 0 || shape == 3 ? 8 : 16;
  d.op.size = static_cast<std::uint8_t>(kDepth[shape] / (bytes ? 4 : 8));
  d.op.flags = (types[0][0] == 'S' ? kSignedA : 0u) | (types[1][0] == 'S' ? kSignedB : 0u) |
               (d.take("SAT") ? kSaturate : 0u) | (sparse ? kSparse : 0u);
  matrix_operands(d);
  d.op.execute = sparse ? exec_sparse_imma : bytes ? exec_imma<8> : exec_imma<4>;
}

// BMMA: 88128, 168128, 168256.

/// Four lanes hold a row of A or a column of B, one word for each lane and register.
void exec_bmma(Context& c, const MicroOp& op, std::uint32_t mask) {
  const bool exclusive = op.mode2 != 0;
  const unsigned rows = op.mode, depth = op.size;  // depth in words
  Lanes out[4] = {};
  for (unsigned row = 0; row < rows; ++row)
    for (unsigned column = 0; column < 8; ++column) {
      const Place at = place_of(row, column);
      std::uint32_t sum = row_of(c, op.src[2], at.index)[at.lane];
      for (unsigned k = 0; k < depth; ++k) {
        const std::uint32_t a = row_of(c, op.src[0], rows == 16 ? k / 4 * 2 + row / 8 : k / 4)[row % 8 * 4 + k % 4];
        const std::uint32_t b = row_of(c, op.src[1], k / 4)[column * 4 + k % 4];
        sum += static_cast<std::uint32_t>(std::popcount(exclusive ? a ^ b : a & b));
      }
      out[at.index].v[at.lane] = sum;
    }
  for (unsigned k = 0; k < rows / 8 * 2; ++k) c.write(static_cast<std::uint8_t>(op.dst + k), out[k], mask);
}
void decode_bmma(Decoder& d) {
  const int shape = d.take_one_of({"88128", "168128", "168256"}, -1);
  if (shape < 0) throw Unsupported{"this shape"};
  const int operation = d.take_one_of({"AND", "XOR"}, -1);
  if (operation < 0 || !d.take("POPC")) throw Unsupported{"this operation"};
  d.op.mode = shape == 0 ? 8 : 16;
  d.op.size = shape == 2 ? 8 : 4;
  d.op.mode2 = static_cast<std::uint8_t>(operation);
  matrix_operands(d);
  d.op.execute = exec_bmma;
}

// DMMA: 8x8x4, and on sm_90 16x8x4, 16x8x8, 16x8x16.

/// A NaN operand becomes the result as in DFMA: the second operand, else the third, else the first, made quiet.
double multiply_add(double a, double b, double c) {
  const double sum = std::fma(a, b, c);
  if (sum == sum) return sum;
  for (const double operand : {b, c, a})
    if (operand != operand) return std::bit_cast<double>(std::bit_cast<std::uint64_t>(operand) | 0x0008000000000000u);
  return std::bit_cast<double>(std::uint64_t{0xfff8000000000000u});
}

/// For every four columns of A, a lane holds one element of every eight rows. Of B it holds one of every four rows.
void exec_dmma(Context& c, const MicroOp& op, std::uint32_t mask) {
  const auto value = [&](const Source& source, unsigned index, unsigned lane) {
    return std::bit_cast<double>(row_of(c, source, 2 * index)[lane] |
                                 std::uint64_t{row_of(c, source, 2 * index + 1)[lane]} << 32);
  };
  const unsigned rows = op.mode, depth = op.size, parts = rows / 8;
  Lanes64 out[4];
  for (unsigned row = 0; row < rows; ++row)
    for (unsigned column = 0; column < 8; ++column) {
      const Place at = place_of(row, column);
      double sum = value(op.src[2], at.index, at.lane);
      for (unsigned k = 0; k < depth; ++k)
        sum = multiply_add(value(op.src[0], k / 4 * parts + row / 8, row % 8 * 4 + k % 4),
                           value(op.src[1], k / 4, column * 4 + k % 4), sum);
      out[at.index].v[at.lane] = std::bit_cast<std::uint64_t>(sum);
    }
  for (unsigned k = 0; k < 2 * parts; ++k) c.write64(static_cast<std::uint8_t>(op.dst + 2 * k), out[k], mask);
}
void decode_dmma(Decoder& d) {
  const int shape = d.take_one_of({"884", "8x8x4", "16x8x4", "16x8x8", "16x8x16"}, -1);
  if (shape < 0) throw Unsupported{"this shape"};
  d.op.mode = shape < 2 ? 8 : 16;
  d.op.size = static_cast<std::uint8_t>(shape < 3 ? 4 : shape == 3 ? 8 : 16);
  d.op.dst = d.destination();
  for (int k = 0; k < 3; ++k) d.op.src[k] = d.source();
  d.op.execute = exec_dmma;
}

constexpr Semantics kRows[] = {
    {"HMMA", decode_hmma, Exactness::approximate,
     "on sm_90 equal to an H200 in all words compared, but for four of 430,000 of sparse products, by one unit; "
     "before, "
     "the last bits of a sum are as published, not verified"},
    {"IMMA", decode_imma, Exactness::exact, "", 75},
    {"BMMA", decode_bmma, Exactness::exact, "", 75},
    {"DMMA", decode_dmma, Exactness::exact, "", 80},
};

}  // namespace

std::span<const Semantics> tensor_semantics() { return kRows; }

}  // namespace sassim::emu
