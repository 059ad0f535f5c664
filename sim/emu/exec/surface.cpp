// SPDX-License-Identifier: Apache-2.0
// Executes reads and writes of surfaces. A place is a byte of a row, a row and a slice; the faces of a cube are slices.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "sim/emu/exec/texture_object.h"

namespace sassim::emu {
namespace {

using isa::Space;

/// Coordinates are signed.
std::uint32_t clamp_to(std::uint32_t coordinate, std::uint32_t last) {
  return static_cast<std::int32_t>(coordinate) < 0 ? 0 : std::min(coordinate, last);
}

/// MicroOp::mode2: what becomes of a place outside.
enum Outside : std::uint8_t { traps, ignored, clamped };

/// Finds each lane's bytes; nullptr for a place outside that is ignored.
void surface_places(Context& c, const MicroOp& op, std::uint32_t mask, std::byte** places) {
  const Image& image = texture_object(c, op, mask).image;
  const auto shape = static_cast<Shape>(op.mode);
  const unsigned dimensions = coordinates(shape);
  const std::uint8_t base = op.src[1].index;
  for_lanes(mask, [&](int lane) {
    std::uint32_t at[4] = {};
    for (unsigned i = 0; i < dimensions + (layered(shape) ? 1 : 0); ++i)
      at[i] = c.read_row(static_cast<std::uint8_t>(base + i))[lane];
    std::uint32_t x = at[0];
    std::uint32_t y = dimensions > 1 ? at[1] : 0;
    std::uint32_t slice = layered(shape) ? at[dimensions] & 0xffff : dimensions > 2 ? at[2] : 0;  // a layer is last
    const std::uint64_t end = std::uint64_t{image.width} * image.format.bytes();
    if (op.mode2 == clamped) {
      x = clamp_to(x, static_cast<std::uint32_t>(end - std::min<std::uint64_t>(end, op.size)));
      y = clamp_to(y, image.height - 1);
      slice = clamp_to(slice, image.depth - 1);
    }
    const bool inside = x < end && op.size <= end - x && y < image.height && slice < image.depth;
    places[lane] = nullptr;
    if (!inside && op.mode2 == ignored) return record_texel(c, image.address, lane);
    const std::uint64_t address = inside ? image.place(x, y, slice) : 0;
    if (!inside)
      c.fault(FaultKind::illegal_address, op, lane, x,
              fmt::format("byte {} of row {} is outside of the surface, {} bytes by {}", x, y, end, image.height));
    if (x % op.size != 0)
      c.fault(FaultKind::misaligned_address, op, lane, x, fmt::format("an access of {} bytes", op.size));
    access_untold(c);
    places[lane] = c.grid.memory->host(address, op.size);
    if (!places[lane]) c.fault(FaultKind::illegal_address, op, lane, address, "the surface's memory has been freed");
    record_texel(c, address, lane);
  });
}

void load_places(Context& c, const MicroOp& op, std::uint32_t mask, std::byte* const* places) {
  const unsigned words = std::max(1u, op.size / 4u);
  for (unsigned word = 0; word < words; ++word) {
    Lanes out{};
    for_lanes(mask, [&](int lane) {
      if (places[lane]) std::memcpy(&out.v[lane], places[lane] + 4 * word, std::min<unsigned>(op.size, 4));
    });
    if (op.dst != isa::kRZ) c.write(static_cast<std::uint8_t>(op.dst + word), out, mask);
  }
}

void store_places(Context& c, const MicroOp& op, std::uint32_t mask, std::byte* const* places) {
  ++c.grid.changes;
  ++c.grid.effects;
  const unsigned words = std::max(1u, op.size / 4u);
  for (unsigned word = 0; word < words; ++word) {
    const std::uint8_t first = op.src[2].index;
    const std::uint32_t* value = c.read_row(first == isa::kRZ ? first : static_cast<std::uint8_t>(first + word));
    for_lanes(mask, [&](int lane) {
      if (places[lane]) std::memcpy(places[lane] + 4 * word, &value[lane], std::min<unsigned>(op.size, 4));
    });
  }
}

/// A load or a store of the lanes' places.
template <auto kPlaces, auto kAccess>
void exec_at(Context& c, const MicroOp& op, std::uint32_t mask) {
  std::byte* places[32];
  kPlaces(c, op, mask, places);
  kAccess(c, op, mask, places);
}

void decode_surface(Decoder& d) {
  if (!d.take("D")) throw Unsupported{"surfaces with converted formats (.P)"};
  d.take("BA");
  d.op.space = static_cast<std::uint8_t>(Space::texture);
  d.op.memory = true;
  decode_width(d);
  d.op.mode2 = static_cast<std::uint8_t>(d.take_one_of({"TRAP", "IGN"}, clamped));
  const int shape = d.take_one_of({"1D", "2D", "3D", "1D_ARRAY", "2D_ARRAY"}, -1);
  if (shape < 0) throw Unsupported{"a surface of this shape"};
  d.op.mode = static_cast<std::uint8_t>(shape);
}

/// [R4]: the register of the first coordinate.
Source first_coordinate(Decoder& d) {
  Source source;
  source.kind = SourceKind::reg;
  source.index = d.address().base;
  return source;
}

void decode_suld(Decoder& d) {
  decode_surface(d);
  d.op.dst = d.destination();
  d.op.src[1] = first_coordinate(d);
  decode_object(d);
  d.op.execute = exec_at<surface_places, load_places>;
}

void decode_sust(Decoder& d) {
  decode_surface(d);
  d.op.src[1] = first_coordinate(d);
  d.op.src[2] = d.source();
  decode_object(d);
  d.op.execute = exec_at<surface_places, store_places>;
}

// SULDGA and SUSTGA. The lower register of an address has its lowest 8 bits, the upper one the 32 bits above. Addresses
// of device memory have a base above these 40 bits.

void joined_places(Context& c, const MicroOp& op, std::uint32_t mask, std::byte** places) {
  const std::uint32_t* lower = c.read_row(op.address.base);
  const std::uint32_t* upper = c.read_row(static_cast<std::uint8_t>(op.address.base + 1));
  const std::uint32_t outside = c.predicate(op.psrc[0]);
  access_untold(c);
  for_lanes(mask, [&](int lane) {
    const std::uint64_t address = c.grid.memory->base() + (std::uint64_t{upper[lane]} << 8 | (lower[lane] & 0xff));
    places[lane] = nullptr;
    if ((outside >> lane & 1) != 0) {
      if (op.mode != 0) c.fault(FaultKind::illegal_address, op, lane, address, "the place is outside of the surface");
      return record_texel(c, address, lane);
    }
    if (address % op.size != 0)
      c.fault(FaultKind::misaligned_address, op, lane, address, fmt::format("an access of {} bytes", op.size));
    places[lane] = c.grid.memory->host(address, op.size);
    if (!places[lane]) c.fault(FaultKind::illegal_address, op, lane, address, "the surface's memory has been freed");
    record_texel(c, address, lane);
  });
}

/// SULDGA.B.CA.U16.TRAP.U8: what comes after TRAP is the type of the address's lower register.
void decode_joined(Decoder& d) {
  if (!d.take("B")) throw Unsupported{"surfaces with converted formats (.P)"};
  const std::vector<std::string>& modifiers = d.instruction().modifiers;
  if (d.take("S8") || d.take("U32")) throw Unsupported{"an address of this form"};
  constexpr std::uint8_t kBytes[] = {2, 4, 8, 16};
  const int width = d.take_one_of({"U16", "32", "64", "128"}, -1);
  if (width < 0 && std::ranges::count(modifiers, "U8") != 2) throw Unsupported{"this width"};
  d.op.size = width < 0 ? 1 : kBytes[width];
  d.ignore({"U8", "CA", "CG", "CS", "CV", "WB", "WT"});
  const int outside = d.take_one_of({"Z", "TRAP", "IGN"}, -1);
  if (outside < 0) throw Unsupported{"what becomes of places outside"};
  d.op.mode = outside == 1 ? 1 : 0;
  d.op.space = static_cast<std::uint8_t>(isa::Space::texture);
  d.op.memory = true;
}
}  // namespace

void decode_joined_load(Decoder& d) {
  decode_joined(d);
  d.op.dst = d.destination();
  d.op.address = d.address();
  d.next();  // the format, which bytes do not need
  d.op.psrc[0] = d.predicate();
  d.op.execute = exec_at<joined_places, load_places>;
}
void decode_joined_store(Decoder& d) {
  decode_joined(d);
  d.op.address = d.address();
  d.next();
  d.op.src[2] = d.source();
  d.op.psrc[0] = d.predicate();
  d.op.execute = exec_at<joined_places, store_places>;
}

void decode_surface_load(Decoder& d) { decode_suld(d); }
void decode_surface_store(Decoder& d) { decode_sust(d); }

}  // namespace sassim::emu
