// SPDX-License-Identifier: Apache-2.0
// Texture reads, surface reads and surface writes through texture and surface objects.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "sim/emu/core/memory_access.h"
#include "sim/emu/exec/texture_sampler.h"

namespace sassim::emu {
namespace {

using isa::Space;

/// MicroOp::mode: the meaning of an instruction's coordinates.
enum class Shape : std::uint8_t { d1, d2, d3, array_1d, array_2d };
constexpr std::string_view kShapes[] = {"1D", "2D", "3D", "ARRAY_1D", "ARRAY_2D"};

constexpr bool layered(Shape shape) { return shape == Shape::array_1d || shape == Shape::array_2d; }
constexpr unsigned coordinates(Shape shape) {
  return shape == Shape::d3 ? 3 : shape == Shape::d2 || shape == Shape::array_2d ? 2 : 1;
}

constexpr std::uint32_t kAllChannels = 0xf;
constexpr std::uint64_t kWord = 4;

/// MicroOp::flags: the channels to read (bits 0 to 3), and this flag if texture coordinates are in two groups of
/// registers.
constexpr std::uint32_t kSplitCoordinates = 1u << 8;

const Texture& object(Context& c, const MicroOp& op, std::uint32_t mask) {
  const Source& handle = op.src[0];
  const std::uint32_t object_id =
      handle.kind == SourceKind::constant ? c.constant(handle.bank, handle.offset) : c.fragment->ur[handle.index];
  const Texture* found = c.grid.launch->textures ? c.grid.launch->textures->find(object_id) : nullptr;
  if (!found)
    c.fault(FaultKind::illegal_instruction, op, first_lane(mask), object_id,
            fmt::format("{} is not a texture or surface object", object_id));
  return *found;
}

/// Records the first word of a texel, so that a lane's access lies in one sector.
void record(Context& c, std::uint64_t address, int lane) {
  if (!c.step) return;
  c.step->space = Space::texture;
  c.step->addresses.list()[static_cast<std::size_t>(lane)] = address / kWord * kWord;
}

/// The register of the `index`th coordinate, layer first.
std::uint8_t coordinate(const MicroOp& op, unsigned index, unsigned count) {
  const unsigned first = (op.flags & kSplitCoordinates) != 0 ? (count + 1) / 2 : count;
  return static_cast<std::uint8_t>(index < first ? op.src[1].index + index : op.src[2].index + (index - first));
}

/// Writes the wanted channels to the first register pair, then to the second.
void write_channels(Context& c, const MicroOp& op, const std::array<Lanes, 4>& channels, std::uint32_t mask) {
  unsigned written = 0;
  for (unsigned i = 0; i < 4; ++i) {
    if ((op.flags >> i & 1) == 0) continue;
    const std::uint8_t base = written < 2 ? op.dst : op.dst2;
    if (base != isa::kRZ) c.write(static_cast<std::uint8_t>(base + written % 2), channels[i], mask);
    ++written;
  }
}

void check_readable(Context& c, const MicroOp& op, const Sample& sample, int lane) {
  if (!sample.readable)
    c.fault(FaultKind::illegal_address, op, lane, sample.touched, "the texture's memory has been freed");
}

void exec_tex(Context& c, const MicroOp& op, std::uint32_t mask) {
  const Texture& texture = object(c, op, mask);
  const auto shape = static_cast<Shape>(op.mode);
  const unsigned layers = layered(shape) ? 1 : 0, dimensions = coordinates(shape);
  const unsigned count = layers + dimensions + op.mode2;
  const auto value = [&](unsigned index, int lane) { return c.read_row(coordinate(op, index, count))[lane]; };
  std::array<Lanes, 4> channels;
  for_lanes(mask, [&](int lane) {
    std::array<float, 3> at{};
    for (unsigned i = 0; i < dimensions; ++i) at[i] = std::bit_cast<float>(value(layers + i, lane));
    const std::uint32_t slice = layers != 0 ? value(0, lane) & 0xffff : 0;
    const Sample one = sample(*c.grid.memory, texture, at, slice, static_cast<unsigned>(lane) & 3);
    check_readable(c, op, one, lane);
    for (std::size_t i = 0; i < 4; ++i) channels[i].v[lane] = one.channels[i];
    record(c, one.touched, lane);
  });
  write_channels(c, op, channels, mask);
}

void exec_tld(Context& c, const MicroOp& op, std::uint32_t mask) {
  const Texture& texture = object(c, op, mask);
  const std::uint32_t* index = c.read_row(op.src[1].index);
  std::array<Lanes, 4> channels;
  for_lanes(mask, [&](int lane) {
    const Sample one = fetch(*c.grid.memory, texture, static_cast<std::int32_t>(index[lane]));
    check_readable(c, op, one, lane);
    for (std::size_t i = 0; i < 4; ++i) channels[i].v[lane] = one.channels[i];
    record(c, one.touched, lane);
  });
  write_channels(c, op, channels, mask);
}

/// The object is in a uniform register or, before sm_90, in a word of a constant bank.
void decode_object(Decoder& d) {
  if (d.next_is(isa::OperandKind::ureg)) {
    d.op.src[0] = d.source();
    if (d.immediate() != 0) throw Unsupported{"an offset of the object"};
    return;
  }
  d.op.src[0].kind = SourceKind::constant;
  d.op.src[0].bank = static_cast<std::uint8_t>(d.immediate());
  d.op.src[0].offset = d.immediate() * 4;
}

void decode_shape(Decoder& d) {
  const std::string& text = d.next().text;
  const auto found = std::find(std::begin(kShapes), std::end(kShapes), text);
  if (found == std::end(kShapes)) throw Unsupported{fmt::format("textures of shape {}", text)};
  d.op.mode = static_cast<std::uint8_t>(found - std::begin(kShapes));
}

void decode_read(Decoder& d) {
  d.ignore({"SCR", "NODEP"});
  d.op.space = static_cast<std::uint8_t>(Space::texture);
  d.op.memory = true;
  d.op.dst2 = d.destination();
  d.op.dst = d.destination();
  d.op.src[1] = d.source();
  if (d.next_is(isa::OperandKind::reg)) d.op.src[2] = d.source();
  decode_object(d);
  decode_shape(d);
  d.op.flags = d.left() > 0 ? d.immediate() : kAllChannels;
  if (d.instruction().has("SCR")) d.op.flags |= kSplitCoordinates;
}

void decode_tex(Decoder& d) {
  // The last coordinate is the level of detail. It is unused: textures have one level.
  const bool level = d.take("LL") || d.take("LB");
  d.take("LZ");
  decode_read(d);
  d.op.mode2 = level && (d.op.flags & kSplitCoordinates) != 0 ? 1 : 0;
  d.op.execute = exec_tex;
}

void decode_tld(Decoder& d) {
  if (!d.take("LZ")) throw Unsupported{"levels of detail"};
  decode_read(d);
  if (static_cast<Shape>(d.op.mode) != Shape::d1) throw Unsupported{"texels of arrays"};
  d.op.execute = exec_tld;
}

// Surfaces: bytes of a row, rows, slices.

/// Finds each lane's bytes. A place outside is a fault (.TRAP) or is not accessed (.IGN); .CLAMP is not supported.
void surface_places(Context& c, const MicroOp& op, std::uint32_t mask, std::byte** places) {
  const Image& image = object(c, op, mask).image;
  const auto shape = static_cast<Shape>(op.mode);
  const unsigned dimensions = coordinates(shape);
  const std::uint8_t base = op.src[1].index;
  for_lanes(mask, [&](int lane) {
    std::uint32_t at[4] = {};
    for (unsigned i = 0; i < dimensions + (layered(shape) ? 1 : 0); ++i)
      at[i] = c.read_row(static_cast<std::uint8_t>(base + i))[lane];
    const std::uint32_t x = at[layered(shape) ? 1 : 0];
    const std::uint32_t y = dimensions > 1 ? at[layered(shape) ? 2 : 1] : 0;
    const std::uint32_t slice = layered(shape) ? at[0] & 0xffff : dimensions > 2 ? at[2] : 0;
    const std::uint64_t end = std::uint64_t{image.width} * image.format.bytes();
    const bool inside = x < end && op.size <= end - x && y < image.height && slice < image.depth;
    places[lane] = nullptr;
    if (!inside && op.mode2 == 0) return record(c, image.address, lane);
    const std::uint64_t address = inside ? image.place(x, y, slice) : 0;
    if (!inside)
      c.fault(FaultKind::illegal_address, op, lane, x,
              fmt::format("byte {} of row {} is outside of the surface, {} bytes by {}", x, y, end, image.height));
    if (x % op.size != 0)
      c.fault(FaultKind::misaligned_address, op, lane, x, fmt::format("an access of {} bytes", op.size));
    places[lane] = c.grid.memory->host(address, op.size);
    if (!places[lane]) c.fault(FaultKind::illegal_address, op, lane, address, "the surface's memory has been freed");
    record(c, address, lane);
  });
}

void exec_suld(Context& c, const MicroOp& op, std::uint32_t mask) {
  std::byte* places[32];
  surface_places(c, op, mask, places);
  const unsigned words = std::max(1u, op.size / 4u);
  for (unsigned word = 0; word < words; ++word) {
    Lanes out{};
    for_lanes(mask, [&](int lane) {
      if (places[lane]) std::memcpy(&out.v[lane], places[lane] + 4 * word, std::min<unsigned>(op.size, 4));
    });
    if (op.dst != isa::kRZ) c.write(static_cast<std::uint8_t>(op.dst + word), out, mask);
  }
}

void exec_sust(Context& c, const MicroOp& op, std::uint32_t mask) {
  std::byte* places[32];
  surface_places(c, op, mask, places);
  ++c.grid.changes;
  const unsigned words = std::max(1u, op.size / 4u);
  for (unsigned word = 0; word < words; ++word) {
    const std::uint32_t* value = c.read_row(static_cast<std::uint8_t>(op.src[2].index + word));
    for_lanes(mask, [&](int lane) {
      if (places[lane]) std::memcpy(places[lane] + 4 * word, &value[lane], std::min<unsigned>(op.size, 4));
    });
  }
}

void decode_surface(Decoder& d) {
  d.take("D");  // .D: raw bytes; .P would convert
  d.take("BA");
  d.op.space = static_cast<std::uint8_t>(Space::texture);
  d.op.memory = true;
  decode_width(d);
  const int outside = d.take_one_of({"TRAP", "IGN"}, -1);
  d.op.mode2 = outside == 0 ? 1 : 0;
  if (outside < 0) throw Unsupported{"coordinates that are clamped"};
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
  d.op.execute = exec_suld;
}

void decode_sust(Decoder& d) {
  decode_surface(d);
  d.op.src[1] = first_coordinate(d);
  d.op.src[2] = d.source();
  decode_object(d);
  d.op.execute = exec_sust;
}

constexpr Semantics kRows[] = {
    {"TEX", decode_tex, Exactness::approximate, "one level, no cubes"},
    {"TLD", decode_tld, Exactness::exact, "of linear memory"},
    {"SULD", decode_suld, Exactness::exact, "bytes, not converted"},
    {"SUST", decode_sust, Exactness::exact, "bytes, not converted"},
};

}  // namespace

std::span<const Semantics> texture_semantics() { return kRows; }

}  // namespace sassim::emu
