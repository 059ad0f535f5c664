// SPDX-License-Identifier: Apache-2.0
// The driver's functions that make descriptions of tensors, which kernels pass to bulk copies (cuTensorMap*).
#include "sim/cuda/export.h"
#include "sim/driver/call.h"
#include "sim/driver/tensor_map.h"

namespace sassim::cuda {

SASSIM_CUDA Result cuTensorMapEncodeTiled(TensorMap* map, int type, std::uint32_t rank, void* address,
                                          const std::uint64_t* extents, const std::uint64_t* strides,
                                          const std::uint32_t* box, const std::uint32_t* steps, int interleave,
                                          int swizzle, int promotion, int fill) {
  return ask(__func__, [&](Session&) {
    return encode_tiled(map, {type, rank, address, extents, strides, steps, interleave, swizzle, promotion, fill}, box);
  });
}
SASSIM_CUDA Result cuTensorMapEncodeIm2col(TensorMap* map, int type, std::uint32_t rank, void* address,
                                           const std::uint64_t* extents, const std::uint64_t* strides, const int* lower,
                                           const int* upper, std::uint32_t channels, std::uint32_t pixels,
                                           const std::uint32_t* steps, int interleave, int swizzle, int promotion,
                                           int fill) {
  return ask(__func__, [&](Session&) {
    return encode_im2col(map, {type, rank, address, extents, strides, steps, interleave, swizzle, promotion, fill},
                         lower, upper, channels, pixels);
  });
}
SASSIM_CUDA Result cuTensorMapReplaceAddress(TensorMap* map, void* address) {
  return ask(__func__, [&](Session&) { return replace_address(map, address); });
}

}  // namespace sassim::cuda
