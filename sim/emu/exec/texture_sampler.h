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

/// Where a texture is read.
struct TexturePlace {
  std::array<float, 3> at{};  ///< coordinates; the direction for a cube
  std::uint32_t layer = 0;    ///< of a layered texture
  bool cube = false;          ///< six slices, one after another, are the faces of a cube
  float level = 0;            ///< of detail, before the texture's bias and limits
  /// The texel whose address is returned, among those that a filter blends (bit 0: second row, bit 1: second column).
  /// Neighbouring lanes share most texels, so that different corners in different lanes cover all texels.
  unsigned corner = 0;
};

Sample sample(const DeviceMemory&, const Texture&, const TexturePlace&);
/// The texels that a filter would blend, of one channel: lower left, lower right, upper right, upper left, where lower
/// is the second row.
Sample gather(const DeviceMemory&, const Texture&, const TexturePlace&, unsigned channel);
/// The texel of these integer coordinates. Zeros beyond the end of linear memory; in arrays as its addressing says.
Sample fetch(const DeviceMemory&, const Texture&, const std::array<std::int32_t, 3>& at, std::uint32_t layer);
/// The level of detail that derivatives ask for: the change of each coordinate along x and along y, one after another.
float level_of(const Texture&, const std::array<float, 6>& derivatives);

}  // namespace sassim::emu
