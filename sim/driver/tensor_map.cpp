// SPDX-License-Identifier: Apache-2.0
// Checks the arguments of cuTensorMapEncode* as CUDA does, and packs them into 128 bytes.
#include "sim/driver/tensor_map.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace sassim::cuda {
namespace {

using emu::kElementBytes, emu::kFirstFloat;
using emu::kInterleave32, emu::kInterleaveNone, emu::kSwizzle32, emu::kSwizzleNone;

constexpr std::uint64_t kMostExtent = std::uint64_t{1} << 32, kMostStride = std::uint64_t{1} << 40;
constexpr std::uint32_t kMostBox = 256, kMostStep = 8, kMostPixels = 1024;

bool aligned(std::uint64_t value, std::uint64_t to) { return value % to == 0; }

/// Addresses and strides are multiples of this.
std::uint64_t unit_of(const TensorShape& shape) { return shape.interleave == kInterleave32 ? 32 : 16; }

bool possible(const TensorShape& shape) {
  const auto within = [](int value, int last) { return value >= 0 && value <= last; };
  if (!within(shape.type, static_cast<int>(std::size(kElementBytes)) - 1) || !within(shape.interleave, 2) ||
      !within(shape.swizzle, 3) || !within(shape.promotion, 3) || !within(shape.fill, 1))
    return false;
  if (shape.rank < (shape.interleave == kInterleaveNone ? 1u : 3u) || shape.rank > 5) return false;
  if (!shape.extents || !shape.steps || (!shape.strides && shape.rank > 1)) return false;
  if (!shape.address || !aligned(reinterpret_cast<std::uintptr_t>(shape.address), unit_of(shape))) return false;
  if (shape.fill != 0 && shape.type < kFirstFloat) return false;
  return shape.interleave != kInterleave32 || shape.swizzle == kSwizzle32;
}

bool extents_are_possible(const TensorShape& shape) {
  for (std::uint32_t i = 0; i < shape.rank; ++i)
    if (shape.extents[i] == 0 || shape.extents[i] > kMostExtent || shape.steps[i] == 0 || shape.steps[i] > kMostStep)
      return false;
  for (std::uint32_t i = 0; i + 1 < shape.rank; ++i)
    if (!aligned(shape.strides[i], unit_of(shape)) || shape.strides[i] >= kMostStride) return false;
  return true;
}

/// Whether rows of `bytes` fit the swizzle, which permutes them.
bool row_is_possible(const TensorShape& shape, std::uint64_t bytes) {
  if (shape.interleave != kInterleaveNone) return true;
  const std::uint64_t most = shape.swizzle == kSwizzleNone ? ~std::uint64_t{0} : std::uint64_t{16} << shape.swizzle;
  return aligned(bytes, 16) && bytes <= most;
}

TensorMap common(const TensorShape& shape) {
  TensorMap map;
  std::memset(&map, 0, sizeof map);  // its padding is sealed, too
  map.type = static_cast<std::uint8_t>(shape.type);
  map.rank = static_cast<std::uint8_t>(shape.rank);
  map.interleave = static_cast<std::uint8_t>(shape.interleave);
  map.swizzle = static_cast<std::uint8_t>(shape.swizzle);
  map.promotion = static_cast<std::uint8_t>(shape.promotion);
  map.fill = static_cast<std::uint8_t>(shape.fill);
  map.address = reinterpret_cast<std::uintptr_t>(shape.address);
  for (std::uint32_t i = 0; i < shape.rank; ++i) {
    map.extents[i] = static_cast<std::uint32_t>(shape.extents[i] - 1);
    map.steps[i] = static_cast<std::uint8_t>(shape.steps[i]);
    if (i + 1 < shape.rank) map.strides[i] = shape.strides[i];
  }
  return map;
}

bool is_place(const TensorMap* map) {
  return map && aligned(reinterpret_cast<std::uintptr_t>(map), alignof(TensorMap));
}

}  // namespace

Result encode_tiled(TensorMap* out, const TensorShape& shape, const std::uint32_t* box) {
  if (!is_place(out) || !box || !possible(shape) || !extents_are_possible(shape)) return kInvalidValue;
  TensorMap map = common(shape);
  for (std::uint32_t i = 0; i < shape.rank; ++i) {
    if (box[i] == 0 || box[i] > kMostBox) return kInvalidValue;
    map.box[i] = static_cast<std::uint8_t>(box[i] - 1);
  }
  if (!row_is_possible(shape, box[0] * kElementBytes[shape.type])) return kInvalidValue;
  map.seal = seal_of(map);
  *out = map;
  return kSuccess;
}

Result encode_im2col(TensorMap* out, const TensorShape& shape, const int* lower, const int* upper,
                     std::uint32_t channels, std::uint32_t pixels) {
  if (!is_place(out) || !lower || !upper || shape.rank < 3 || !possible(shape) || !extents_are_possible(shape))
    return kInvalidValue;
  if (channels == 0 || channels > kMostBox || pixels == 0 || pixels > kMostPixels) return kInvalidValue;
  if (!row_is_possible(shape, channels * kElementBytes[shape.type])) return kInvalidValue;
  TensorMap map = common(shape);
  map.im2col = 1;
  map.channels = static_cast<std::uint8_t>(channels - 1);
  map.pixels = static_cast<std::uint16_t>(pixels - 1);
  const std::uint32_t spatial = shape.rank - 2;
  const int most = 1 << (16 / spatial - 1);  // the corners share 16 bits
  for (std::uint32_t i = 0; i < spatial; ++i) {
    for (const int corner : {lower[i], upper[i]})
      if (corner < -most || corner >= most) return kInvalidValue;
    map.lower[i] = static_cast<std::int16_t>(lower[i]);
    map.upper[i] = static_cast<std::int16_t>(upper[i]);
  }
  map.seal = seal_of(map);
  *out = map;
  return kSuccess;
}

Result replace_address(TensorMap* map, void* address) {
  if (!is_place(map) || map->seal != seal_of(*map) || !address) return kInvalidValue;
  const auto place = reinterpret_cast<std::uintptr_t>(address);
  if (!aligned(place, map->interleave == kInterleave32 ? 32 : 16)) return kInvalidValue;
  map->address = place;
  map->seal = seal_of(*map);
  return kSuccess;
}

}  // namespace sassim::cuda
