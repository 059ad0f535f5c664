// SPDX-License-Identifier: Apache-2.0
// Tensor maps: descriptions of tensors in global memory for copies of boxes of them. How the hardware lays out the 128
// bytes is not published; programs only pass them on, so the layout is our own.
#pragma once

#include <array>
#include <cstdint>

#include "sim/cuda/abi.h"

namespace sassim::cuda {

/// CUtensorMapInterleave, CUtensorMapSwizzle
enum TensorInterleave : int { kInterleaveNone = 0, kInterleave16 = 1, kInterleave32 = 2 };
enum TensorSwizzle : int { kSwizzleNone = 0, kSwizzle32 = 1, kSwizzle64 = 2, kSwizzle128 = 3 };

struct alignas(64) TensorMap {
  static constexpr std::uint32_t kMagic = 0x7a5e0501;
  std::uint32_t magic;
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

/// What both forms of cuTensorMapEncode have in common.
struct TensorShape {
  int type = 0;
  std::uint32_t rank = 0;
  void* address = nullptr;
  const std::uint64_t* extents = nullptr;
  const std::uint64_t* strides = nullptr;  ///< of all dimensions but the innermost
  const std::uint32_t* steps = nullptr;
  int interleave = 0, swizzle = 0, promotion = 0, fill = 0;
};

Result encode_tiled(TensorMap*, const TensorShape&, const std::uint32_t* box);
Result encode_im2col(TensorMap*, const TensorShape&, const int* lower, const int* upper, std::uint32_t channels,
                     std::uint32_t pixels);
Result replace_address(TensorMap*, void* address);

}  // namespace sassim::cuda
