// SPDX-License-Identifier: Apache-2.0
// What instructions that read textures and those that access surfaces have in common.
#pragma once

#include "sim/emu/core/memory_access.h"
#include "sim/emu/core/textures.h"

namespace sassim::emu {

/// MicroOp::mode: the meaning of an instruction's coordinates.
enum class Shape : std::uint8_t { d1, d2, d3, array_1d, array_2d, cube, array_cube };

constexpr bool layered(Shape shape) {
  return shape == Shape::array_1d || shape == Shape::array_2d || shape == Shape::array_cube;
}
constexpr unsigned coordinates(Shape shape) {
  switch (shape) {
    case Shape::d1:
    case Shape::array_1d:
      return 1;
    case Shape::d2:
    case Shape::array_2d:
      return 2;
    default:
      return 3;
  }
}

/// The texture or surface object of an instruction, or a fault.
const Texture& texture_object(Context&, const MicroOp&, std::uint32_t mask);
/// Records the first word of a texel, so that a lane's access lies in one sector.
void record_texel(Context&, std::uint64_t address, int lane);
void decode_surface_load(Decoder&);
void decode_surface_store(Decoder&);
/// The same where code has computed the address (Kepler).
void decode_joined_load(Decoder&);
void decode_joined_store(Decoder&);
/// The object is in a uniform register or, before sm_90, in a word of a constant bank.
void decode_object(Decoder&);

}  // namespace sassim::emu
