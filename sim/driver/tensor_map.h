// SPDX-License-Identifier: Apache-2.0
// Makes the tensor maps of cuTensorMapEncode* for kernels' bulk copies (sim/emu/memory/tensor_map.h).
#pragma once

#include <cstdint>

#include "sim/cuda/abi.h"
#include "sim/emu/memory/tensor_map.h"

namespace sassim::cuda {

using emu::TensorMap;

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
