// SPDX-License-Identifier: Apache-2.0
// Computes addresses in surfaces on Kepler. A surface object is the address of a descriptor of eight words. The code
// reads it and computes where an access goes: SUCLAMP bounds each coordinate and splits it into the number of a tile
// and the place in the tile, IMADSP counts tiles, SUBFM joins the places, and SUEAU adds all to the surface's address.
// SULDGA and SUSTGA access the result. What the instructions do with which bits was published with Mesa's compiler for
// these GPUs (src/nouveau/compiler/nak/ir.rs: folding of OpSuClamp, OpSubFm, OpSuEau, OpIMadSp;
// src/nouveau/nil/su_info.rs: descriptors); which word of the descriptor is which can be read off the compiled code.
#include <algorithm>

#include "sim/emu/core/textures.h"
#include "sim/emu/exec/lane_loops.h"
#include "sim/emu/exec/sass64.h"

namespace sassim::emu {

SurfaceDescriptor surface_descriptor(const Image& image, bool layers) {
  constexpr std::uint32_t kShift = 22, kLinear = 1u << 21;  // of a limit: a coordinate's bits in a tile, no tiles
  constexpr std::uint32_t kTile = 512, kRowShift = 3, kByteShift = 6;
  constexpr std::uint32_t kHalves = 0x88u << 24;  // the types of IMADSP.SD: the lower halves of all three
  const auto row = static_cast<std::uint32_t>(image.pitch >> kByteShift);
  const auto width = static_cast<std::uint32_t>(std::uint64_t{image.width} * image.format.bytes());
  return {static_cast<std::uint32_t>(image.address >> 8),
          0,  // the format, which bytes do not need
          (width - 1) | kByteShift << kShift,
          row | kHalves,
          (image.height - 1) | kRowShift << kShift,
          static_cast<std::uint32_t>(image.slice_bytes() >> 8),
          (image.depth - 1) | (layers ? kLinear : 0),
          static_cast<std::uint32_t>(image.slice_bytes() / kTile / row)};
}

namespace {

constexpr std::uint32_t bits(std::uint32_t value, unsigned first, unsigned count) {
  return value >> first & ((1u << count) - 1);
}

// SUCLAMP. Its result, the coordinate: bits 0 to 15 the tile, 16 to 23 the place in it, 27 to 29 the logarithm of the
// tile's size in blocks of 64 bytes by 8 rows, 31 outside. In a surface without tiles: 0 to 19 the coordinate, 27 to 29
// the logarithm of the element's bytes, 30 set.

enum Layout : std::uint8_t { by_descriptor, linear, tiled };
enum SuclampFlag : std::uint32_t { kSignedCoordinate = 1, kPlain = 2 };
constexpr std::uint32_t kLinearBit = 1u << 30;

std::uint32_t split(const MicroOp& op, std::uint32_t limits, std::int64_t at, bool& outside) {
  const bool rows = op.mode == linear || (op.mode == by_descriptor && bits(limits, 21, 1) != 0);
  const bool plain = rows && (op.flags & kPlain) != 0;
  const std::int64_t last = (plain ? limits : bits(limits, 0, 20)) & ~(op.size - 1u);
  const auto inside = static_cast<std::uint32_t>(std::clamp<std::int64_t>(at, 0, last));
  outside = at < 0 || at > last;
  const std::uint32_t sign = outside ? 1u << 31 : 0u;
  if (plain) return inside;
  if (rows) return inside | bits(limits, 26, 3) << 27 | kLinearBit | sign;
  return (inside >> bits(limits, 22, 4) & 0xffff) | (inside << bits(limits, 26, 3) & 0xff) << 16 |
         bits(limits, 29, 3) << 27 | sign;
}

void exec_suclamp(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes s0, s1, out;
  const std::uint32_t* at = fetch_int(c, op.src[0], s0);
  const std::uint32_t* limits = fetch_int(c, op.src[1], s1);
  std::uint32_t all_outside = 0;
  for (int i = 0; i < 32; ++i) {
    const std::int64_t value =
        (op.flags & kSignedCoordinate) != 0 ? static_cast<std::int32_t>(at[i]) : std::int64_t{at[i]};
    bool outside;
    out.v[i] = split(op, limits[i], value + op.relative, outside);
    all_outside |= (outside ? 1u : 0u) << i;
  }
  c.write(op.dst, out, mask);
  c.write_predicate(op.pdst, all_outside, mask);
}
void decode_suclamp(Decoder& d) {
  d.op.mode = static_cast<std::uint8_t>(d.take_one_of({"SD", "PL", "BL"}, by_descriptor));
  d.op.size = static_cast<std::uint8_t>(1u << d.take_one_of({"R1", "R2", "R4", "R8", "R16"}, 0));
  d.op.flags = (d.take("U32") ? 0u : kSignedCoordinate) | (d.take("1D") ? kPlain : 0u);
  d.op.pdst = d.predicate_destination();
  d.op.dst = d.destination();
  d.op.src[0] = d.source();
  d.op.src[1] = d.source();
  d.op.relative = static_cast<std::int32_t>(d.immediate());
  d.op.execute = exec_suclamp;
}

// SUBFM. Its result: bits 0 to 8 the place in a block, 11 no tiles, 12 to 15 the logarithm of the blocks of a tile,
// 16 to 26 the block in the tile.

constexpr std::uint32_t low(std::uint32_t value, std::uint32_t count) {
  return value & ((1u << std::min(count, 5u)) - 1);
}

std::uint32_t join(std::uint32_t x, std::uint32_t y, std::uint32_t z, bool deep) {
  if (((x | y) & kLinearBit) != 0) return (bits(z, 0, 8) << bits(x, 27, 3) & 0xff) | 1u << 11 | bits(x, 27, 3) << 12;
  const std::uint32_t wide = bits(x, 27, 1), high = bits(y, 27, 3), thick = deep ? bits(z, 27, 3) : 0;
  const std::uint32_t place =
      bits(x, 16, 4) | bits(y, 16, 2) << 4 | bits(x, 20, 1) << 6 | bits(y, 18, 1) << 7 | bits(x, 21, 1) << 8;
  const std::uint32_t block =
      (low(bits(z, 16, 8), thick) << high | low(bits(y, 19, 5), high)) << wide | low(bits(x, 22, 2), wide);
  return place | ((wide + high + thick) & 15) << 12 | (block & (wide != 0 ? 0x7ffu : 0x3ffu)) << 16;
}

template <bool kDeep>
void exec_subfm(Context& c, const MicroOp& op, std::uint32_t mask) {
  std::uint32_t outside = 0;
  Lanes s[3], out;
  const std::uint32_t* x = fetch_int(c, op.src[0], s[0]);
  const std::uint32_t* y = fetch_int(c, op.src[1], s[1]);
  const std::uint32_t* z = fetch_int(c, op.src[2], s[2]);
  for (int i = 0; i < 32; ++i) {
    out.v[i] = join(x[i], y[i], z[i], kDeep);
    outside |= (x[i] | y[i] | (kDeep ? z[i] : 0)) >> 31 << i;
  }
  c.write(op.dst, out, mask);
  c.write_predicate(op.pdst, outside, mask);
}
void decode_subfm(Decoder& d) {
  d.op.execute = d.take("3D") ? exec_subfm<true> : exec_subfm<false>;
  d.op.pdst = d.predicate_destination();
  d.op.dst = d.destination();
  for (std::size_t i = 0; i < 3; ++i) d.op.src[i] = d.source();
}

/// The number of a tile, or of an element, and what SUBFM has joined, added to an address without its lowest 8 bits.
void exec_sueau(Context& c, const MicroOp& op, std::uint32_t mask) {
  map3(c, op, mask, [](std::uint32_t number, std::uint32_t joined, std::uint32_t address) {
    const std::uint32_t shift = bits(joined, 12, 4);
    if (bits(joined, 11, 1) != 0)
      return address + ((shift < 8 ? number >> (8 - shift) : number << (shift - 8)) & 0xffffff);
    return address + ((number << (shift + 1) | bits(joined, 16, 11) << 1 | bits(joined, 8, 1)) & 0x7ffffff);
  });
}
void decode_sueau(Decoder& d) {
  d.op.dst = d.destination();
  for (std::size_t i = 0; i < 3; ++i) d.op.src[i] = d.source();
  d.op.execute = exec_sueau;
}

constexpr Semantics kepler(std::string_view mnemonic, Decode decode) {
  return {mnemonic, decode, Exactness::exact, {}, 35, isa::InstructionSet::sass64};
}

constexpr Semantics kRows[] = {kepler("SUCLAMP", decode_suclamp), kepler("SUBFM", decode_subfm),
                               kepler("SUEAU", decode_sueau)};

}  // namespace

std::span<const Semantics> sass64_surface_semantics() { return kRows; }

}  // namespace sassim::emu
