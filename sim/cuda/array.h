// SPDX-License-Identifier: Apache-2.0
// CUDA arrays: the objects behind their handles, their formats, and copies to and from them. An array is tiled memory
// that only textures, surfaces and copies access.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "sim/cuda/abi.h"
#include "sim/cuda/graph.h"
#include "sim/emu/core/textures.h"

namespace sassim::cuda {

class Session;

/// The object behind a cudaArray_t.
struct Array {
  emu::Image image;
  std::uint8_t dimensions = 1;  ///< without layers
  unsigned flags = 0;
  ChannelFormat format{};
  Extent extent{};  ///< as requested by the program; 0 for a dimension that is absent
};

/// The object behind a cudaMipmappedArray_t: an array for each level, half as large as the one before it.
struct MipmappedArray {
  std::vector<std::unique_ptr<Array>> levels;
  std::uint64_t address = 0;  ///< of the memory of all levels
};

/// An error if the handle is none of an array that is there now.
Result check_array(Session&, const Array*);

/// cudaArrayLayered and other flags.
inline constexpr unsigned kArrayLayered = 1, kArraySurface = 2, kArrayCube = 4, kArrayGather = 8;

/// Empty if no texture can have this format.
std::optional<emu::TexelFormat> texel_format(const ChannelFormat&);

/// One side of a copy: pitched memory, or an array from a given byte, row and slice on.
struct CopySide {
  const Array* array = nullptr;
  std::byte* pointer = nullptr;
  std::size_t pitch = 0, slice = 0;
  std::size_t byte = 0, row = 0, layer = 0;
};

/// Makes the object of an array, without memory; nullptr if CUDA allows no array of this format, size and flags.
std::unique_ptr<Array> describe_array(Session&, const ChannelFormat&, const Extent&, unsigned flags);
inline constexpr std::uint64_t kArrayAlignment = 512;

/// A copy of `extent` (width in bytes), to be performed when its stream reaches it.
NodeContents array_copy_work(Session&, const CopySide& to, const CopySide& from, const Extent& extent, CopyKind);
/// A cudaMemcpy3D with an array on at least one side.
NodeContents array_box_work(Session&, const Copy3D&);

}  // namespace sassim::cuda
