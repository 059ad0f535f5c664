// SPDX-License-Identifier: Apache-2.0
// The result of a texture read: addressing modes, filters, conversion of texels.
#pragma once

#include <array>
#include <cstdint>

#include "sim/emu/core/textures.h"
#include "sim/emu/memory/device_memory.h"

namespace sassim::emu {

/// A sample, or the address that could not be read.
struct Sample {
  std::array<std::uint32_t, 4> channels{};  ///< bits as registers hold them
  std::uint64_t touched = 0;                ///< the address of one of its texels
  bool readable = true;                     ///< false: `touched` is not inside an allocation
};

/// `slice`: the layer of a layered texture. `corner`: the texel whose address is returned, among those that a filter
/// blends (bit 0: second row, bit 1: second column). Neighbouring lanes share most texels, so that different corners in
/// different lanes cover all texels.
Sample sample(const DeviceMemory&, const Texture&, std::array<float, 3> at, std::uint32_t slice, unsigned corner);
/// Texel `index` of a texture of linear memory; zeros beyond its end.
Sample fetch(const DeviceMemory&, const Texture&, std::int32_t index);

}  // namespace sassim::emu
