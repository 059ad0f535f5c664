// SPDX-License-Identifier: Apache-2.0
// Float arithmetic of a warp's 32 lanes in loops that the host's compiler vectorises, with the GPU's bits.
#include "sim/emu/exec/float_lanes.h"

#include <cfenv>
#include <cmath>

#include "sim/emu/exec/half.h"
#include "sim/emu/exec/lane_loops.h"

namespace sassim::emu {

namespace {

int host_mode(Rounding mode) {
  switch (mode) {
    case Rounding::down:
      return FE_DOWNWARD;
    case Rounding::up:
      return FE_UPWARD;
    case Rounding::zero:
      return FE_TOWARDZERO;
    default:
      return FE_TONEAREST;
  }
}

std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

}  // namespace

RoundingScope::RoundingScope(Rounding mode) : saved_(0), changed_(mode != Rounding::nearest) {
  if (!changed_) return;
  saved_ = std::fegetround();
  std::fesetround(host_mode(mode));
}

RoundingScope::~RoundingScope() {
  if (changed_) std::fesetround(saved_);
}

SASSIM_LANE_LOOP void add_f32(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* out) {
  Lanes sum;
  for (int i = 0; i < 32; ++i) sum.v[i] = canonical_f32(f32(a[i]) + f32(b[i]));
  std::memcpy(out, sum.v, sizeof sum.v);
}

SASSIM_LANE_LOOP void mul_f32(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* out) {
  Lanes product;
  for (int i = 0; i < 32; ++i) product.v[i] = canonical_f32(f32(a[i]) * f32(b[i]));
  std::memcpy(out, product.v, sizeof product.v);
}

SASSIM_LANE_LOOP void fma_f32(const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* c,
                              std::uint32_t* out) {
  Lanes sum;
  for (int i = 0; i < 32; ++i) sum.v[i] = canonical_f32(__builtin_fmaf(f32(a[i]), f32(b[i]), f32(c[i])));
  std::memcpy(out, sum.v, sizeof sum.v);
}

SASSIM_LANE_LOOP void add_f64(const std::uint64_t* a, const std::uint64_t* b, std::uint64_t* out) {
  for (int i = 0; i < 32; ++i) out[i] = bits(f64(a[i]) + f64(b[i]));
}

SASSIM_LANE_LOOP void mul_f64(const std::uint64_t* a, const std::uint64_t* b, std::uint64_t* out) {
  for (int i = 0; i < 32; ++i) out[i] = bits(f64(a[i]) * f64(b[i]));
}

SASSIM_LANE_LOOP void fma_f64(const std::uint64_t* a, const std::uint64_t* b, const std::uint64_t* c,
                              std::uint64_t* out) {
  Lanes64 sum;
  for (int i = 0; i < 32; ++i) sum.v[i] = bits(__builtin_fma(f64(a[i]), f64(b[i]), f64(c[i])));
  std::memcpy(out, sum.v, sizeof sum.v);
}

namespace {

struct HalfLanes {
  alignas(64) float v[64];  ///< the lower halves, then the upper halves
};

[[gnu::always_inline]] inline void widen(const std::uint32_t* pairs, HalfLanes& to) {
  for (int i = 0; i < 32; ++i) to.v[i] = half_to_float(static_cast<std::uint16_t>(pairs[i]));
  for (int i = 0; i < 32; ++i) to.v[32 + i] = half_to_float(static_cast<std::uint16_t>(pairs[i] >> 16));
}

[[gnu::always_inline]] inline void narrow(const HalfLanes& from, std::uint32_t* pairs) {
  for (int i = 0; i < 32; ++i) pairs[i] = float_to_half(from.v[i]) | std::uint32_t{float_to_half(from.v[32 + i])} << 16;
}

}  // namespace

SASSIM_LANE_LOOP void add_f16x2(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* out) {
  HalfLanes x, y;
  widen(a, x);
  widen(b, y);
  for (int i = 0; i < 64; ++i) x.v[i] += y.v[i];
  narrow(x, out);
}

SASSIM_LANE_LOOP void mul_f16x2(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* out) {
  HalfLanes x, y;
  widen(a, x);
  widen(b, y);
  for (int i = 0; i < 64; ++i) x.v[i] *= y.v[i];
  narrow(x, out);
}

SASSIM_LANE_LOOP void fma_f16x2(const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* c,
                                std::uint32_t* out) {
  HalfLanes x, y, z;
  widen(a, x);
  widen(b, y);
  widen(c, z);
  for (int i = 0; i < 64; ++i) x.v[i] = add_to_odd(x.v[i] * y.v[i], z.v[i]);
  narrow(x, out);
}

SASSIM_LANE_LOOP void flush_f32(const std::uint32_t* in, std::uint32_t* out) {
  Lanes flushed;
  for (int i = 0; i < 32; ++i) flushed.v[i] = (in[i] & 0x7f800000u) == 0 ? in[i] & 0x80000000u : in[i];
  std::memcpy(out, flushed.v, sizeof flushed.v);
}

SASSIM_LANE_LOOP void canonical_nan_f32(std::uint32_t* values) {
  for (int i = 0; i < 32; ++i) values[i] = canonical_f32(f32(values[i]));
}

SASSIM_LANE_LOOP FloatRelations relations_f32(const std::uint32_t* a, const std::uint32_t* b) {
  alignas(64) std::uint8_t less[32], equal[32], greater[32];
  for (int i = 0; i < 32; ++i) {
    less[i] = f32(a[i]) < f32(b[i]) ? 1 : 0;
    equal[i] = f32(a[i]) == f32(b[i]) ? 1 : 0;
    greater[i] = f32(a[i]) > f32(b[i]) ? 1 : 0;
  }
  return {pack_truth(less), pack_truth(equal), pack_truth(greater)};
}

SASSIM_LANE_LOOP void saturate_f32(std::uint32_t* values) {
  constexpr std::uint32_t kOne = 0x3f800000u;
  for (int i = 0; i < 32; ++i) {
    const std::uint32_t x = values[i];
    const bool zero = (x >> 31) != 0 || x > 0x7f800000u;
    values[i] = zero ? 0u : x > kOne ? kOne : x;
  }
}

}  // namespace sassim::emu
