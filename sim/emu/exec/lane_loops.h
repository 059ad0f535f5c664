// SPDX-License-Identifier: Apache-2.0
// Loops over lanes that instruction families share: fetch the operands, apply a scalar function, write the active
// lanes.
#pragma once

#include "sim/emu/core/machine.h"

namespace sassim::emu {

/// For each lane, a where its bit is set, else b.
[[gnu::always_inline]] inline void select_lanes(std::uint32_t bits, const std::uint32_t* a, const std::uint32_t* b,
                                                Lanes& out) {
  for (int group = 0; group < 4; ++group) {
    const std::uint32_t* select = kByteMasks[bits >> (8 * group) & 0xff].v;
    for (int i = 0; i < 8; ++i) {
      const int lane = 8 * group + i;
      out.v[lane] = (a[lane] & select[i]) | (b[lane] & ~select[i]);
    }
  }
}

/// Gives each lane of `mask` the result f(lane), which depends on no other lane's result.
template <class F>
[[gnu::always_inline]] inline void write_lanes(Context& c, std::uint8_t dst, std::uint32_t mask, F f) {
  if (mask == kAllLanes && !c.uniform && dst != isa::kRZ) {
    std::uint32_t* const to = c.row(dst);
    SASSIM_LANES_APART
    for (int i = 0; i < 32; ++i) to[i] = f(i);
    return;
  }
  Lanes out;
  for (int i = 0; i < 32; ++i) out.v[i] = f(i);
  c.write(dst, out, mask);
}

template <class F>
[[gnu::always_inline]] inline void map1(Context& c, const MicroOp& op, std::uint32_t mask, F f) {
  Lanes a;
  const std::uint32_t* x = fetch_int(c, op.src[0], a);
  write_lanes(c, op.dst, mask, [&](int i) { return f(x[i]); });
}

template <class F>
[[gnu::always_inline]] inline void map2(Context& c, const MicroOp& op, std::uint32_t mask, F f) {
  Lanes a, b;
  const std::uint32_t* x = fetch_int(c, op.src[0], a);
  const std::uint32_t* y = fetch_int(c, op.src[1], b);
  write_lanes(c, op.dst, mask, [&](int i) { return f(x[i], y[i]); });
}

template <class F>
[[gnu::always_inline]] inline void map3(Context& c, const MicroOp& op, std::uint32_t mask, F f) {
  Lanes a, b, d;
  const std::uint32_t* x = fetch_int(c, op.src[0], a);
  const std::uint32_t* y = fetch_int(c, op.src[1], b);
  const std::uint32_t* z = fetch_int(c, op.src[2], d);
  write_lanes(c, op.dst, mask, [&](int i) { return f(x[i], y[i], z[i]); });
}

/// How a comparison's result is combined with the predicate operand.
enum class Join : std::uint8_t { logical_and, logical_or, logical_xor };

inline std::uint32_t join(std::uint8_t how, std::uint32_t bits, std::uint32_t with) {
  switch (static_cast<Join>(how)) {
    case Join::logical_and:
      return bits & with;
    case Join::logical_or:
      return bits | with;
    default:
      return bits ^ with;
  }
}

/// Writes a comparison's two predicates: its result, and its complement, each combined with the predicate operand.
inline void write_comparison(Context& c, const MicroOp& op, std::uint32_t mask, std::uint32_t bits) {
  const std::uint32_t with = c.predicate(op.psrc[0]);
  c.write_predicate(op.pdst, join(op.mode2, bits, with), mask);
  c.write_predicate(op.pdst2, join(op.mode2, ~bits, with), mask);
}

}  // namespace sassim::emu
