// SPDX-License-Identifier: Apache-2.0
// CUDA arrays: memory in tiles that only textures, surfaces and copies reach.
#pragma once

#include <cstddef>
#include <optional>

#include "sim/cuda/abi.h"
#include "sim/cuda/graph.h"
#include "sim/emu/core/textures.h"

namespace sassim::cuda {

class Session;

/// What a cudaArray_t points to.
struct Array {
  emu::Image image;
  std::uint8_t dimensions = 1;  ///< layers not counted
  unsigned flags = 0;
  ChannelFormat format{};
  Extent extent{};  ///< as asked for: zero where there is no such dimension
};

/// cudaArrayLayered and others
inline constexpr unsigned kArrayLayered = 1, kArraySurface = 2, kArrayGather = 8;

/// Empty: no texture can have this format.
std::optional<emu::TexelFormat> texel_format(const ChannelFormat&);

/// One side of a copy: pitched memory, or an array from a byte of a row, a row and a slice on.
struct CopySide {
  const Array* array = nullptr;
  std::byte* pointer = nullptr;
  std::size_t pitch = 0, slice = 0;
  std::size_t byte = 0, row = 0, layer = 0;
};

/// Copies `extent` (width in bytes) when its stream comes to it.
NodeContents array_copy_work(Session&, const CopySide& to, const CopySide& from, const Extent& extent, CopyKind);
/// cudaMemcpy3D with an array on at least one side.
NodeContents array_box_work(Session&, const Copy3D&);

}  // namespace sassim::cuda
