// SPDX-License-Identifier: Apache-2.0
// Executes reads of textures through texture objects.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "sim/emu/exec/texture_object.h"
#include "sim/emu/exec/texture_sampler.h"
#include "sim/isa/code_rules.h"

namespace sassim::emu {

using isa::Space;

const Texture& texture_object(Context& c, const MicroOp& op, std::uint32_t mask) {
  const Source& handle = op.src[0];
  const std::uint32_t object_id = handle.kind == SourceKind::constant ? c.constant(handle.bank, handle.offset)
                                  : handle.kind == SourceKind::reg    ? c.read_row(handle.index)[first_lane(mask)]
                                                                      : c.fragment->ur[handle.index];
  const Texture* found = c.grid.launch->textures ? c.grid.launch->textures->find(object_id) : nullptr;
  if (!found)
    c.fault(FaultKind::illegal_instruction, op, first_lane(mask), object_id,
            fmt::format("{} is not a texture or surface object", object_id));
  const Allocation* const memory = c.grid.memory->find(found->image.address);
  c.grid.effects += memory && !memory->owned ? 1 : 0;
  return *found;
}

void record_texel(Context& c, std::uint64_t address, int lane) {
  constexpr std::uint64_t kWord = 4;
  if (!c.step) return;
  c.step->space = Space::texture;
  c.step->addresses.list()[static_cast<std::size_t>(lane)] = address / kWord * kWord;
}

void decode_object(Decoder& d) {
  if (d.set() == isa::InstructionSet::sass64) {
    d.op.src[0].kind = SourceKind::constant;
    d.op.src[0].offset = d.immediate() * 4;
    return;
  }
  if (d.next_is(isa::OperandKind::ureg)) {
    d.op.src[0] = d.source();
    if (d.immediate() != 0) throw Unsupported{"an offset of the object"};
    return;
  }
  d.op.src[0].kind = SourceKind::constant;
  d.op.src[0].bank = static_cast<std::uint8_t>(d.immediate());
  d.op.src[0].offset = d.immediate() * 4;
}

namespace {

constexpr std::string_view kShapes[] = {"1D", "2D", "3D", "ARRAY_1D", "ARRAY_2D", "CUBE", "ARRAY_CUBE"};

constexpr std::uint32_t kAllChannels = 0xf;

/// MicroOp::flags: the channels to read (bits 0 to 3), whether coordinates are in two groups of registers, the channel
/// of a gather (bits 12 and 13).
constexpr std::uint32_t kSplitCoordinates = 1u << 8;
constexpr unsigned kGatherShift = 12;
/// MicroOp::mode2: a level of detail follows the coordinates, or is alone in the second group.
enum Level : std::uint8_t { no_level, last_level, own_level };

/// The register of the `index`th coordinate, layer first.
std::uint8_t coordinate(const MicroOp& op, unsigned index, unsigned count) {
  const unsigned first = (op.flags & kSplitCoordinates) != 0 ? (count + 1) / 2 : count;
  const bool behind_object = op.src[0].kind == SourceKind::reg && op.mode2 == last_level && index + 1 == count;
  return static_cast<std::uint8_t>(index < first ? op.src[1].index + index
                                                 : op.src[2].index + (index - first) + (behind_object ? 1 : 0));
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

/// What `read(lane, layer, value)` finds, where `value(i)` is the lane's `i`th coordinate.
template <class Read>
void read_lanes(Context& c, const MicroOp& op, std::uint32_t mask, Read read) {
  const auto shape = static_cast<Shape>(op.mode);
  const unsigned layers = layered(shape) ? 1 : 0;
  const unsigned count = layers + coordinates(shape) + (op.mode2 == last_level ? 1 : 0);
  std::array<Lanes, 4> channels;
  access_untold(c);
  for_lanes(mask, [&](int lane) {
    const auto register_of = [&](unsigned index) { return c.read_row(coordinate(op, index, count))[lane]; };
    const std::uint32_t layer = layers != 0 ? register_of(0) & 0xffff : 0;
    const Sample one = read(lane, layer, [&](unsigned i) { return register_of(layers + i); });
    if (!one.readable)
      c.fault(FaultKind::illegal_address, op, lane, one.touched, "the texture's memory has been freed");
    for (std::size_t i = 0; i < 4; ++i) channels[i].v[lane] = one.channels[i];
    record_texel(c, one.touched, lane);
  });
  write_channels(c, op, channels, mask);
}

template <class Value>
TexturePlace place_of(const MicroOp& op, int lane, std::uint32_t layer, Value value) {
  const auto shape = static_cast<Shape>(op.mode);
  TexturePlace place{.layer = layer,
                     .cube = shape == Shape::cube || shape == Shape::array_cube,
                     .corner = static_cast<unsigned>(lane) & 3};
  for (unsigned i = 0; i < coordinates(static_cast<Shape>(op.mode)); ++i) place.at[i] = std::bit_cast<float>(value(i));
  return place;
}

/// Lanes may have different objects where these are in registers: `Execute` reads those of each object together.
template <void (*kExecute)(Context&, const MicroOp&, std::uint32_t)>
void for_objects(Context& c, const MicroOp& op, std::uint32_t mask) {
  if (op.src[0].kind != SourceKind::reg) return kExecute(c, op, mask);
  Lanes objects;
  std::memcpy(objects.v, c.read_row(op.src[0].index), sizeof objects.v);  // the result may lie in the same register
  for (std::uint32_t rest = mask; rest != 0;) {
    const std::uint32_t object = objects.v[first_lane(rest)];
    const std::uint32_t same = rest & gather_bits([&](int i) { return objects.v[i] == object; });
    kExecute(c, op, same);
    rest &= ~same;
  }
}

void exec_tex(Context& c, const MicroOp& op, std::uint32_t mask) {
  const Texture& texture = texture_object(c, op, mask);
  const unsigned dimensions = coordinates(static_cast<Shape>(op.mode));
  read_lanes(c, op, mask, [&](int lane, std::uint32_t layer, auto value) {
    TexturePlace place = place_of(op, lane, layer, value);
    if (op.mode2 == last_level) place.level = std::bit_cast<float>(value(dimensions));
    if (op.mode2 == own_level) place.level = std::bit_cast<float>(c.read_row(op.src[2].index)[lane]);
    return sample(*c.grid.memory, texture, place);
  });
}

void exec_txd(Context& c, const MicroOp& op, std::uint32_t mask) {
  const Texture& texture = texture_object(c, op, mask);
  const unsigned dimensions = coordinates(static_cast<Shape>(op.mode));
  read_lanes(c, op, mask, [&](int lane, std::uint32_t layer, auto value) {
    TexturePlace place = place_of(op, lane, layer, value);
    std::array<float, 6> derivatives{};
    for (unsigned i = 0; i < 2 * dimensions; ++i)
      derivatives[i] = std::bit_cast<float>(c.read_row(static_cast<std::uint8_t>(op.src[2].index + i))[lane]);
    place.level = level_of(texture, derivatives);
    return sample(*c.grid.memory, texture, place);
  });
}

void exec_tld4(Context& c, const MicroOp& op, std::uint32_t mask) {
  const Texture& texture = texture_object(c, op, mask);
  read_lanes(c, op, mask, [&](int lane, std::uint32_t layer, auto value) {
    return gather(*c.grid.memory, texture, place_of(op, lane, layer, value), op.flags >> kGatherShift & 3);
  });
}

void exec_tld(Context& c, const MicroOp& op, std::uint32_t mask) {
  const Texture& texture = texture_object(c, op, mask);
  read_lanes(c, op, mask, [&](int, std::uint32_t layer, auto value) {
    std::array<std::int32_t, 3> at{};
    for (unsigned i = 0; i < coordinates(static_cast<Shape>(op.mode)); ++i) at[i] = static_cast<std::int32_t>(value(i));
    return fetch(*c.grid.memory, texture, at, layer);
  });
}

/// The sizes of a level, and the number of levels.
void exec_txq(Context& c, const MicroOp& op, std::uint32_t mask) {
  const Texture& texture = texture_object(c, op, mask);
  const auto levels = static_cast<std::uint32_t>(texture.smaller.size() + 1);
  std::array<Lanes, 4> channels;
  for_lanes(mask, [&](int lane) {
    const std::uint32_t level = std::min(c.read_row(op.src[1].index)[lane], levels - 1);
    const Image& image = level == 0 ? texture.image : texture.smaller[level - 1];
    const std::uint32_t values[] = {image.width, image.height, image.depth, levels};
    for (std::size_t i = 0; i < 4; ++i) channels[i].v[lane] = values[i];
  });
  write_channels(c, op, channels, mask);
}

void decode_shape(Decoder& d) {
  const std::string& text = d.next().text;
  const auto found = std::find(std::begin(kShapes), std::end(kShapes), text);
  if (found == std::end(kShapes)) throw Unsupported{fmt::format("textures of shape {}", text)};
  d.op.mode = static_cast<std::uint8_t>(found - std::begin(kShapes));
}

void decode_targets(Decoder& d) {
  d.ignore({"SCR", "NODEP"});
  d.op.space = static_cast<std::uint8_t>(Space::texture);
  d.op.memory = true;
  d.op.dst2 = d.destination();
  d.op.dst = d.destination();
  d.op.src[1] = d.source();
}

void decode_read(Decoder& d) {
  decode_targets(d);
  if (d.next_is(isa::OperandKind::reg)) d.op.src[2] = d.source();
  if (d.take("B")) {
    d.op.src[0] = d.op.src[2];  // place_object() says which register
  } else {
    decode_object(d);
  }
  decode_shape(d);
  d.op.flags |= d.left() > 0 ? d.immediate() : kAllChannels;
  if (d.instruction().has("SCR")) d.op.flags |= kSplitCoordinates;
}

/// Channels by their letters: "RG", "RGBA".
std::uint32_t channels_of(const std::string& letters) {
  constexpr std::string_view kLetters = "RGBA";
  std::uint32_t channels = 0;
  for (const char letter : letters) {
    const std::size_t at = kLetters.find(letter);
    if (at == std::string_view::npos) throw Unsupported{fmt::format("channels {}", letters)};
    channels |= 1u << at;
  }
  return channels;
}

// 64-bit instructions. TEXS, TLDS and TLD4S have two pairs of registers as destination and two groups of coordinates;
// TEX, TXD and the others have four registers in a row, and coordinates in a row.

void decode_phase(Decoder& d) { d.ignore({"P", "T", "NODEP"}); }

void decode_short_read(Decoder& d) {
  decode_phase(d);
  decode_targets(d);
  if (d.next_is(isa::OperandKind::reg)) d.op.src[2] = d.source();
  decode_object(d);
  d.op.flags |= kSplitCoordinates;
}

void decode_texs(Decoder& d) {
  const bool level = d.take("LL");
  d.take("LZ");
  decode_short_read(d);
  decode_shape(d);
  d.op.flags |= channels_of(d.next().text);
  d.op.mode2 = level ? last_level : no_level;
  d.op.execute = for_objects<exec_tex>;
}

void decode_tlds(Decoder& d) {
  if (!d.take("LZ")) throw Unsupported{"levels of detail"};
  decode_short_read(d);
  decode_shape(d);
  d.op.flags |= channels_of(d.next().text);
  d.op.execute = for_objects<exec_tld>;
}

void decode_tld4s(Decoder& d) {
  const int channel = d.take_one_of({"R", "G", "B", "A"}, 0);
  decode_short_read(d);
  d.op.mode = static_cast<std::uint8_t>(Shape::d2);
  d.op.flags |= kAllChannels | static_cast<std::uint32_t>(channel) << kGatherShift;
  d.op.execute = for_objects<exec_tld4>;
}

void decode_row_targets(Decoder& d) {
  decode_phase(d);
  d.op.space = static_cast<std::uint8_t>(Space::texture);
  d.op.memory = true;
  d.op.dst = d.destination();
  d.op.dst2 = d.op.dst == isa::kRZ ? isa::kRZ : static_cast<std::uint8_t>(d.op.dst + 2);
  d.op.src[1] = d.source();
}

/// An object in a register is the first word of the second group, and of the first one in Kepler's code and in TXD.
/// Kepler's words form one row: the object, the coordinates and the level, of which the fifth begins the second group.
void place_row(Decoder& d, bool own, bool level, bool derivatives) {
  MicroOp& op = d.op;
  const bool one_row = isa::code_rules(d.architecture()).texture_row;
  if (own) {
    Source& group = one_row || derivatives ? op.src[1] : op.src[2];
    op.src[0] = group;
    ++group.index;
  }
  if (!one_row) return;
  const auto shape = static_cast<Shape>(op.mode);
  const unsigned places = (layered(shape) ? 1 : 0) + coordinates(shape);
  if (places + (own ? 1 : 0) > 4) throw Unsupported{"more words than fit into a row"};
  if (!level || places + (own ? 1 : 0) == 4) return;
  op.src[2] = op.src[1];
  op.src[2].index = static_cast<std::uint8_t>(op.src[1].index + places);
}

void decode_row_read(Decoder& d, bool level = false, bool derivatives = false) {
  decode_row_targets(d);
  const bool own = d.take("B");
  if (d.next_is(isa::OperandKind::reg)) d.op.src[2] = d.source();
  if (!own) {
    decode_object(d);
  } else if (d.immediate() != 0) {
    throw Unsupported{"an offset of the object"};
  }
  decode_shape(d);
  d.op.flags |= d.left() > 0 ? d.immediate() : kAllChannels;
  place_row(d, own, level, derivatives);
}

void decode_row_tex(Decoder& d) {
  const bool level = d.take("LL") || d.take("LB");
  d.take("LZ");
  decode_row_read(d, level);
  d.op.mode2 = level ? own_level : no_level;
  d.op.execute = for_objects<exec_tex>;
}

void decode_row_txd(Decoder& d) {
  decode_row_read(d, false, true);
  if (static_cast<Shape>(d.op.mode) >= Shape::cube) throw Unsupported{"derivatives of cubes"};
  d.op.execute = for_objects<exec_txd>;
}

void decode_row_tld(Decoder& d) {
  if (!d.take("LZ")) throw Unsupported{"levels of detail"};
  decode_row_read(d);
  d.op.execute = for_objects<exec_tld>;
}

void decode_row_tld4(Decoder& d) {
  const int channel = d.take_one_of({"R", "G", "B", "A"}, 0);
  decode_row_read(d);
  d.op.flags |= static_cast<std::uint32_t>(channel) << kGatherShift;
  d.op.execute = for_objects<exec_tld4>;
}

constexpr auto kShort = isa::InstructionSet::sass64;

/// An object in a register follows the coordinates of its group and precedes the level.
void place_object(MicroOp& op) {
  if (op.src[0].kind != SourceKind::reg) return;
  if ((op.flags & kSplitCoordinates) == 0) {
    ++op.src[2].index;
    return;
  }
  const auto shape = static_cast<Shape>(op.mode);
  const unsigned places = (layered(shape) ? 1 : 0) + coordinates(shape);
  const unsigned first = (places + (op.mode2 == last_level ? 1 : 0) + 1) / 2;
  op.src[0].index = static_cast<std::uint8_t>(op.src[2].index + (places > first ? places - first : 0));
}
void decode_tex(Decoder& d) {
  const bool level = d.take("LL") || d.take("LB");
  d.take("LZ");
  decode_read(d);
  d.op.mode2 = !level ? no_level : (d.op.flags & kSplitCoordinates) != 0 ? last_level : own_level;
  place_object(d.op);
  d.op.execute = for_objects<exec_tex>;
}

void decode_txd(Decoder& d) {
  decode_read(d);
  if (static_cast<Shape>(d.op.mode) >= Shape::cube) throw Unsupported{"derivatives of cubes"};
  d.op.execute = exec_txd;
}

void decode_tld4(Decoder& d) {
  const int channel = d.take_one_of({"R", "G", "B", "A"}, 0);
  decode_read(d);
  d.op.flags |= static_cast<std::uint32_t>(channel) << kGatherShift;
  d.op.execute = for_objects<exec_tld4>;
}

void decode_tld(Decoder& d) {
  if (!d.take("LZ")) throw Unsupported{"levels of detail"};
  decode_read(d);
  d.op.execute = for_objects<exec_tld>;
}

void decode_txq(Decoder& d) {
  if (d.set() == isa::InstructionSet::sass64)
    decode_row_targets(d);
  else
    decode_targets(d);
  if (d.next().text != "TEX_HEADER_DIMENSION") throw Unsupported{"what it asks for"};
  decode_object(d);
  d.op.flags = d.left() > 0 ? d.immediate() : kAllChannels;
  d.op.memory = false;
  d.op.execute = exec_txq;
}

constexpr Semantics kRows[] = {
    {"TEX", decode_tex, Exactness::approximate, "derivatives between lanes (.NDV) are not supported"},
    {"TXD", decode_txd, Exactness::approximate, "not of cubes"},
    {"TLD", decode_tld, Exactness::exact, "of level 0"},
    {"TLD4", decode_tld4, Exactness::approximate, "of level 0"},
    {"TXQ", decode_txq, Exactness::exact, "sizes and number of levels"},
    {"TEXS", decode_texs, Exactness::approximate, "", 50, kShort},
    {"TLDS", decode_tlds, Exactness::exact, "of level 0", 50, kShort},
    {"TLD4S", decode_tld4s, Exactness::approximate, "of level 0", 50, kShort},
    {"TEX", decode_row_tex, Exactness::approximate, "derivatives between lanes (.NDV) are not supported", 50, kShort},
    {"TXD", decode_row_txd, Exactness::approximate, "not of cubes", 50, kShort},
    {"TLD", decode_row_tld, Exactness::exact, "of level 0", 50, kShort},
    {"TLD4", decode_row_tld4, Exactness::approximate, "of level 0", 50, kShort},
    {"SULD", decode_surface_load, Exactness::exact, "bytes, not converted"},
    {"SUST", decode_surface_store, Exactness::exact, "bytes, not converted"},
    {"SULDGA", decode_joined_load, Exactness::exact, "bytes, not converted", 35, kShort},
    {"SUSTGA", decode_joined_store, Exactness::exact, "bytes, not converted", 35, kShort},
};

}  // namespace

std::span<const Semantics> texture_semantics() { return kRows; }

}  // namespace sassim::emu
