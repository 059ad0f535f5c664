// SPDX-License-Identifier: Apache-2.0
// Tensor maps (CUtensorMap): descriptions of tensors in global memory, which the driver makes and instructions read
// that copy boxes of a tensor. How the hardware lays out the 128 bytes is not published; programs only pass them on, so
// the layout is our own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace sassim::emu {

/// CUtensorMapInterleave, CUtensorMapSwizzle
enum TensorInterleave : int { kInterleaveNone = 0, kInterleave16 = 1, kInterleave32 = 2 };
enum TensorSwizzle : int { kSwizzleNone = 0, kSwizzle32 = 1, kSwizzle64 = 2, kSwizzle128 = 3 };

/// Bytes of an element by CUtensorMapDataType; the types from the seventh on are of floating point.
inline constexpr std::uint64_t kElementBytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
inline constexpr int kFirstFloat = 6;
/// Types whose numbers change on the way to shared memory.
inline constexpr int kTensorFloat = 11, kTensorFloatFlushed = 12;

struct alignas(64) TensorMap {
  std::uint32_t seal;  ///< seal_of(): a program has not changed the other bytes
  std::uint8_t type, rank, interleave, swizzle, promotion, fill, im2col;
  std::uint8_t channels;                     ///< im2col: per pixel
  std::uint64_t address;                     ///< of the tensor
  std::array<std::uint64_t, 4> strides;      ///< in bytes; that of the innermost dimension is an element
  std::array<std::uint32_t, 5> extents;      ///< less 1
  std::array<std::uint8_t, 5> box;           ///< less 1
  std::array<std::uint8_t, 5> steps;         ///< elements from one that is copied to the next
  std::array<std::int16_t, 3> lower, upper;  ///< im2col: corners of the box
  std::uint16_t pixels;                      ///< im2col: per column
};
static_assert(sizeof(TensorMap) == 128);

/// A number that depends on all bytes but the seal's: FNV-1a.
inline std::uint32_t seal_of(const TensorMap& map) {
  std::array<std::uint8_t, sizeof map> bytes;
  std::memcpy(bytes.data(), &map, sizeof map);
  std::uint32_t hash = 0x811c9dc5;
  for (std::size_t i = sizeof map.seal; i < bytes.size(); ++i) hash = (hash ^ bytes[i]) * 0x01000193;
  return hash;
}

}  // namespace sassim::emu
