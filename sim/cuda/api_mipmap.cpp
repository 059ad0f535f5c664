// SPDX-License-Identifier: Apache-2.0
// The runtime's functions for mipmapped arrays.
#include <algorithm>
#include <bit>

#include "sim/cuda/array.h"
#include "sim/cuda/export.h"
#include "sim/cuda/session.h"

namespace sassim::cuda {
namespace {

/// Levels until every size is one.
unsigned most_levels(const Extent& extent, unsigned flags) {
  const bool slices = (flags & (kArrayLayered | kArrayCube)) != 0;
  const std::size_t longest = std::max({extent.width, extent.height, slices ? 1 : extent.depth});
  return static_cast<unsigned>(std::bit_width(longest));
}

Extent half(const Extent& extent, unsigned flags) {
  const auto halved = [](std::size_t size) { return size == 0 ? 0 : std::max<std::size_t>(size / 2, 1); };
  const bool slices = (flags & (kArrayLayered | kArrayCube)) != 0;
  return {halved(extent.width), halved(extent.height), slices ? extent.depth : halved(extent.depth)};
}

Result make_levels(Session& session, MipmappedArray& made, const ChannelFormat& format, Extent extent, unsigned count,
                   unsigned flags) {
  std::uint64_t bytes = 0;
  for (unsigned level = 0; level < count; ++level, extent = half(extent, flags)) {
    std::unique_ptr<Array> array = describe_array(session, format, extent, flags);
    if (!array) return kInvalidValue;
    array->image.address = bytes;
    bytes += (array->image.bytes() + kArrayAlignment - 1) / kArrayAlignment * kArrayAlignment;
    made.levels.push_back(std::move(array));
  }
  made.address = session.memory().allocate(bytes, kArrayAlignment);
  for (const auto& level : made.levels) level->image.address += made.address;
  return made.address == 0 ? kMemoryAllocation : kSuccess;
}

}  // namespace

SASSIM_CUDA Result cudaMallocMipmappedArray(MipmappedArray** array, const ChannelFormat* format, Extent extent,
                                            unsigned levels, unsigned flags) {
  return call(__func__, [&](Session& session) {
    if (const Result result = check_may_wait(session); result != kSuccess) return result;
    if (!array || !format) return kInvalidValue;
    auto made = std::make_unique<MipmappedArray>();
    const unsigned count = std::clamp(levels, 1u, std::max(most_levels(extent, flags), 1u));
    if (const Result result = make_levels(session, *made, *format, extent, count, flags); result != kSuccess)
      return result;
    *array = session.mipmapped_arrays().add(std::move(made));
    return kSuccess;
  });
}
SASSIM_CUDA Result cudaGetMipmappedArrayLevel(Array** level, const MipmappedArray* array, unsigned number) {
  return call(__func__, [&](Session& session) {
    if (!level || !session.mipmapped_arrays().holds(array) || number >= array->levels.size()) return kInvalidValue;
    *level = array->levels[number].get();
    return kSuccess;
  });
}
SASSIM_CUDA Result cudaFreeMipmappedArray(MipmappedArray* array) {
  return call(__func__, [&](Session& session) {
    if (const Result result = check_may_wait(session); result != kSuccess) return result;
    if (!array) return kSuccess;
    if (!session.mipmapped_arrays().holds(array)) return kInvalidValue;
    session.memory_with(reinterpret_cast<const void*>(array->address)).free(array->address);
    session.mipmapped_arrays().erase(array);
    return kSuccess;
  });
}

}  // namespace sassim::cuda
