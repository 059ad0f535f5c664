// SPDX-License-Identifier: Apache-2.0
// Float arithmetic of a warp's 32 lanes in loops that the host's compiler vectorises, with the GPU's bits.
#include "sim/emu/exec/float_lanes.h"

#include <cfenv>
#include <cmath>

#include "sim/emu/exec/lane_loops.h"

namespace sassim::emu {

namespace {

/// By Rounding.
constexpr int kHostModes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};

std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

}  // namespace

RoundingScope::RoundingScope(Rounding mode) : saved_(0), changed_(mode != Rounding::nearest) {
  if (!changed_) return;
  saved_ = std::fegetround();
  std::fesetround(kHostModes[static_cast<std::size_t>(mode)]);
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
