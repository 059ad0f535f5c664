// SPDX-License-Identifier: Apache-2.0
// Matrix multiply-accumulate of a warp group: HGMMA, QGMMA, IGMMA. Each of the four warps computes 16 of 64 rows. A
// comes from registers or, like B, from shared memory through a descriptor (PTX ISA, "matrix descriptor" and "strides";
// layouts as in CUTLASS, cute/arch/mma_sm90_desc.hpp). The product is there when the instruction has executed: a
// program that waits for it as it must (WARPGROUP.DEPBAR) cannot tell the difference.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "sim/emu/core/semantics.h"
#include "sim/emu/exec/half.h"
#include "sim/emu/exec/lane_loops.h"
#include "sim/emu/exec/tensor_math.h"

namespace sassim::emu {
namespace {

constexpr unsigned kRows = 16;        // of a warp
constexpr unsigned kDepthBytes = 32;  // of a row of A or a column of B
constexpr unsigned kMostDepth = 32;

enum Element : std::uint8_t { e_f16, e_bf16, e_tf32, e_e4m3, e_e5m2, e_s8, e_u8 };
enum Flag : std::uint32_t {
  kHalfResult = 1,
  kNegateA = 2,
  kNegateB = 4,
  kTransposeA = 8,
  kTransposeB = 16,
  kSaturate = 32,
  kDescribedA = 64,
};

unsigned bytes_of(std::uint8_t element) { return element == e_tf32 ? 4 : element <= e_bf16 ? 2 : 1; }

float from_byte(std::uint32_t bits, int mantissa_bits, int bias) {
  const int magnitude = static_cast<int>(bits & 0x7f), exponent = magnitude >> mantissa_bits;
  const int mantissa = magnitude & ((1 << mantissa_bits) - 1);
  const float sign = (bits & 0x80) != 0 ? -1.0f : 1.0f;
  const bool is_e5m2 = mantissa_bits == 2;
  if (is_e5m2 && exponent == 31) return mantissa == 0 ? sign * INFINITY : NAN;
  if (!is_e5m2 && magnitude == 0x7f) return NAN;
  const int whole = exponent == 0 ? mantissa : mantissa | 1 << mantissa_bits;
  return sign * std::ldexp(static_cast<float>(whole), std::max(exponent, 1) - bias - mantissa_bits);
}

float number(std::uint8_t element, std::uint32_t bits) {
  switch (element) {
    case e_f16:
      return half_to_float(static_cast<std::uint16_t>(bits));
    case e_bf16:
      return bfloat_to_float(static_cast<std::uint16_t>(bits));
    case e_tf32:
      return std::bit_cast<float>(bits & 0xffffe000u);
    case e_e4m3:
      return from_byte(bits, 3, 7);
    case e_e5m2:
      return from_byte(bits, 2, 15);
    case e_s8:
      return static_cast<float>(static_cast<std::int8_t>(bits));
    default:
      return static_cast<float>(bits);
  }
}

/// A matrix in shared memory.
class Described {
 public:
  Described(Context& c, const MicroOp& op, std::uint64_t descriptor, bool transposed)
      : c_(c), op_(op), transposed_(transposed) {
    const auto field = [&](unsigned bit) { return (descriptor >> bit & 0x3fff) << 4; };
    begin_ = field(0), leading_ = field(16), stride_ = field(32);
    constexpr std::uint64_t kWidths[] = {16, 128, 64, 32};
    width_ = kWidths[descriptor >> 62];
    if ((descriptor >> 49 & 7) != 0)
      c.fault(FaultKind::illegal_instruction, op, 0, begin_,
              "a matrix descriptor with a base offset, which is not emulated");
  }

  /// The bits of an element: `line` is a row of A or a column of B, `k` the place in it.
  std::uint32_t bits(unsigned line, unsigned k, unsigned bytes) const {
    const std::uint64_t at = swizzled(begin_ + (transposed_ ? across(line, k, bytes) : along(line, k * bytes)));
    if (at + bytes > c_.block.shared.size())
      c_.fault(FaultKind::shared_out_of_bounds, op_, 0, at,
               fmt::format("a matrix descriptor; the block has {} bytes of shared memory", c_.block.shared.size()));
    std::uint32_t value = 0;
    std::memcpy(&value, c_.block.shared.data() + at, bytes);
    return value;
  }

 private:
  /// Lines whose elements are adjacent: eight lines of 16 bytes, or of the width of the swizzle, are a piece.
  std::uint64_t along(unsigned line, std::uint64_t byte) const {
    const std::uint64_t in_line = width_ == 16 ? byte / 16 * leading_ + byte % 16 : byte;
    return line / 8 * stride_ + line % 8 * width_ + in_line;
  }
  /// Elements of neighbouring lines are adjacent, up to the width.
  std::uint64_t across(unsigned line, unsigned k, unsigned bytes) const {
    const std::uint64_t lines = width_ / bytes, piece = line / lines, group = k / 8;
    const std::uint64_t far = width_ == 16 ? piece * stride_ + group * leading_ : piece * leading_ + group * stride_;
    return far + k % 8 * width_ + line % lines * bytes;
  }
  /// The bits that number a 16-byte chunk of a line are mixed with those that number the line.
  std::uint64_t swizzled(std::uint64_t address) const { return address ^ ((address >> 7 & (width_ / 16 - 1)) << 4); }

  Context& c_;
  const MicroOp& op_;
  bool transposed_;
  std::uint64_t begin_ = 0, leading_ = 0, stride_ = 0, width_ = 16;
};

std::uint64_t descriptor_at(const Context& c, unsigned ureg) {
  return c.fragment->ur[ureg & 63] | std::uint64_t{c.fragment->ur[(ureg + 1) & 63]} << 32;
}

using Line = float[kMostDepth];

void read_described(const Described& matrix, unsigned first, std::uint8_t element, unsigned count, bool negate,
                    Line* lines, unsigned line_count) {
  const unsigned bytes = bytes_of(element);
  for (unsigned line = 0; line < line_count; ++line)
    for (unsigned k = 0; k < count; ++k) {
      const float value = number(element, matrix.bits(first + line, k, bytes));
      lines[line][k] = negate ? -value : value;
    }
}

/// Four lanes hold a row; its 16 bytes of one register each are followed by those of the register after the next.
void read_registers(Context& c, const Source& source, std::uint8_t element, unsigned count, bool negate, Line* rows) {
  const unsigned bytes = bytes_of(element), per_word = 4 / bytes, span = 4 * per_word;
  const std::uint32_t all = bytes == 4 ? ~0u : (1u << 8 * bytes) - 1;
  for (unsigned row = 0; row < kRows; ++row)
    for (unsigned k = 0; k < count; ++k) {
      const auto reg = static_cast<std::uint8_t>(source.index + 2 * (k / span) + row / 8);
      const std::uint32_t word = c.read_row(reg)[row % 8 * 4 + k % span / per_word];
      const float value = number(element, word >> (8 * bytes * (k % per_word)) & all);
      rows[row][k] = negate ? -value : value;
    }
}

struct Products {
  Context& c;
  const MicroOp& op;
  bool accumulates;
  DotProduct dot;
  std::uint32_t mask;

  std::uint32_t accumulator(unsigned reg, unsigned lane) const {
    if (!accumulates || op.src[1].kind == SourceKind::zero) return 0;
    return c.read_row(static_cast<std::uint8_t>(op.src[1].index + reg))[lane];
  }

  /// Eight columns of the result.
  void tile(unsigned number_of_tile, const Line* a, const Line* b, unsigned count) const {
    const bool halves = dot.half_result, whole = op.mode >= e_s8;
    const unsigned registers = halves ? 2 : 4;
    Lanes out[4] = {};
    for (unsigned row = 0; row < kRows; ++row)
      for (unsigned column = 0; column < 8; ++column) {
        const unsigned lane = row % 8 * 4 + column / 2, at = halves ? row / 8 : row / 8 * 2 + column % 2;
        const std::uint32_t before = accumulator(number_of_tile * registers + at, lane);
        if (whole) {
          out[at].v[lane] = integer(a[row], b[column], count, static_cast<std::int32_t>(before));
        } else if (halves) {
          const float in = half_to_float(static_cast<std::uint16_t>(before >> 16 * (column % 2)));
          const std::uint32_t sum = float_to_half(dot(a[row], b[column], static_cast<int>(count), in));
          out[at].v[lane] |= sum << (16 * (column % 2));
        } else {
          out[at].v[lane] = std::bit_cast<std::uint32_t>(
              dot(a[row], b[column], static_cast<int>(count), std::bit_cast<float>(before)));
        }
      }
    for (unsigned i = 0; i < registers; ++i)
      c.write(static_cast<std::uint8_t>(op.dst + number_of_tile * registers + i), out[i], mask);
  }

  std::uint32_t integer(const float* a, const float* b, unsigned count, std::int64_t sum) const {
    for (unsigned k = 0; k < count; ++k) sum += static_cast<std::int64_t>(a[k]) * static_cast<std::int64_t>(b[k]);
    if ((op.flags & kSaturate) != 0) sum = std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX);
    return static_cast<std::uint32_t>(sum);
  }
};

void exec_warp_group(Context& c, const MicroOp& op, std::uint32_t mask) {
  if (mask != kAllLanes)
    c.fault(FaultKind::illegal_instruction, op, first_lane(mask), 0, "a product of a warp group in a diverged warp");
  const unsigned count = kDepthBytes / bytes_of(op.mode), columns = op.size * 8u;
  const unsigned first_row = c.warp.index % 4 * kRows;
  Line a[kRows], b[8];
  const unsigned descriptors = op.address.ubase;
  if ((op.flags & kDescribedA) != 0) {
    const Described matrix(c, op, descriptor_at(c, descriptors), (op.flags & kTransposeA) != 0);
    read_described(matrix, first_row, op.mode, count, (op.flags & kNegateA) != 0, a, kRows);
  } else {
    read_registers(c, op.src[0], op.mode, count, (op.flags & kNegateA) != 0, a);
  }
  const Described matrix(c, op, descriptor_at(c, descriptors + 2), (op.flags & kTransposeB) != 0);
  const Products products{c, op, c.predicate(op.psrc[0]) != 0,
                          DotProduct{c.grid.kernel->architecture().tensor, (op.flags & kHalfResult) != 0}, mask};
  for (unsigned tile = 0; tile < columns / 8; ++tile) {
    read_described(matrix, tile * 8, op.mode2, count, (op.flags & kNegateB) != 0, b, 8);
    products.tile(tile, a, b, count);
  }
}

/// "64x32x16": the number of columns.
unsigned take_columns(Decoder& d) {
  for (unsigned columns = 8; columns <= 256; columns += 8)
    for (const unsigned depth : {8u, 16u, 32u})
      if (d.take(fmt::format("64x{}x{}", columns, depth))) return columns;
  throw Unsupported{"this shape"};
}

void decode_operands(Decoder& d) {
  d.op.size = static_cast<std::uint8_t>(take_columns(d) / 8);
  d.op.dst = d.destination();
  if (!d.next_is(isa::OperandKind::memory)) {
    d.op.src[0] = d.source();
    if (d.op.src[0].negate) d.op.flags |= kNegateA;
    d.op.src[0].negate = false;
  } else {
    d.op.flags |= kDescribedA;
  }
  const isa::Operand& described = d.next();
  if (described.kind != isa::OperandKind::memory || !described.descriptor) throw Unsupported{"these operands"};
  d.op.address.ubase = *described.descriptor;
  for (const std::string& suffix : described.suffixes) {
    if (suffix == "negA")
      d.op.flags |= kNegateA;
    else if (suffix == "negB")
      d.op.flags |= kNegateB;
    else if (suffix == "tnspA")
      d.op.flags |= kTransposeA;
    else if (suffix == "tnspB")
      d.op.flags |= kTransposeB;
    else
      throw Unsupported{fmt::format("a descriptor with .{}", suffix)};
  }
  d.op.src[1] = d.source();
  if (d.next_is(isa::OperandKind::pred) || d.next_is(isa::OperandKind::upred)) d.op.psrc[0] = d.predicate();
  if (d.left() > 0) d.next();  // the counter that WARPGROUP.DEPBAR waits for
  d.op.execute = exec_warp_group;
}

void decode_hgmma(Decoder& d) {
  d.op.mode = d.op.mode2 = d.take("TF32") ? e_tf32 : d.take("BF16") ? e_bf16 : e_f16;
  if (!d.take("F32") && d.take("F16")) d.op.flags |= kHalfResult;
  decode_operands(d);
}

void decode_qgmma(Decoder& d) {
  std::vector<std::uint8_t> types;
  for (const std::string& name : d.instruction().modifiers)
    if (name == "E4M3" || name == "E5M2") types.push_back(name == "E4M3" ? e_e4m3 : e_e5m2);
  d.ignore({"E4M3", "E5M2"});
  if (types.size() != 2) throw Unsupported{"these element types"};
  d.op.mode = types[0], d.op.mode2 = types[1];
  if (!d.take("F32") && d.take("F16")) d.op.flags |= kHalfResult;
  decode_operands(d);
}

void decode_igmma(Decoder& d) {
  std::vector<std::uint8_t> types;
  for (const std::string& name : d.instruction().modifiers)
    if (name == "S8" || name == "U8") types.push_back(name == "S8" ? e_s8 : e_u8);
  d.ignore({"S8", "U8"});
  if (types.size() != 2) throw Unsupported{"these element types"};
  d.op.mode = types[0], d.op.mode2 = types[1];
  if (d.take("SAT")) d.op.flags |= kSaturate;
  decode_operands(d);
}

constexpr const char* kNote = "the last bits of a sum are those of HMMA, not verified; no sparse matrices";
constexpr Semantics kTable[] = {
    {"HGMMA", decode_hgmma, Exactness::approximate, kNote, 90},
    {"QGMMA", decode_qgmma, Exactness::approximate, kNote, 90},
    {"IGMMA", decode_igmma, Exactness::exact, "no sparse matrices", 90},
};

}  // namespace

std::span<const Semantics> warp_group_semantics() { return kTable; }

}  // namespace sassim::emu
