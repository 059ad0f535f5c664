// SPDX-License-Identifier: Apache-2.0
// What a texture read gives: addressing modes, filters, conversion of texels.
#pragma once

#include <array>
#include <cstdint>

#include "sim/emu/core/device_memory.h"
#include "sim/emu/core/textures.h"

namespace sassim::emu {

/// A sample, or where it could not be read.
struct Sample {
  std::array<std::uint32_t, 4> channels{};  ///< as registers hold them
  std::uint64_t touched = 0;                ///< the address of one of its texels
  bool readable = true;                     ///< false: `touched` is not inside an allocation
};

/// `slice`: the layer of a layered texture. `corner`: of the texels that a filter joins the one whose address is told,
/// bit 0 by rows, bit 1 by columns: neighbouring lanes share most, so that together they name all.
Sample sample(const DeviceMemory&, const Texture&, std::array<float, 3> at, std::uint32_t slice, unsigned corner);
/// Texel `index` of a texture of linear memory; zeros beyond its end.
Sample fetch(const DeviceMemory&, const Texture&, std::int32_t index);

}  // namespace sassim::emu
