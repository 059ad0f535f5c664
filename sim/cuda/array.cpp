// SPDX-License-Identifier: Apache-2.0
// Checks formats and sizes of CUDA arrays, and performs and times copies to and from their tiles.
#include "sim/cuda/array.h"

#include <algorithm>
#include <cstring>

#include "sim/cuda/copy.h"
#include "sim/cuda/session.h"
#include "sim/isa/architecture.h"

namespace sassim::cuda {
namespace {

/// The CUDA C++ Programming Guide's limits for compute capability 6.0 and later, in texels.
bool possible(const Extent& extent, unsigned flags) {
  const auto within = [&](std::size_t width, std::size_t height, std::size_t depth) {
    return extent.width <= width && extent.height <= height && extent.depth <= depth;
  };
  if (extent.width == 0) return false;
  if ((flags & kArrayCube) != 0) {
    const bool faces = (flags & kArrayLayered) != 0 ? extent.depth % 6 == 0 : extent.depth == 6;
    return extent.width == extent.height && extent.depth != 0 && faces && within(32768, 32768, 2046);
  }
  if ((flags & kArrayLayered) != 0) return extent.depth != 0 && within(32768, 32768, 2048);
  if (extent.depth != 0) return extent.height != 0 && within(16384, 16384, 16384);
  return within(131072, 65536, 0);
}

constexpr std::size_t kPiece = 16;  // adjacent bytes of a row in a tile

bool fits(const CopySide& side, const Extent& extent) {
  if (!side.array) return side.pointer != nullptr;
  const emu::Image& image = side.array->image;
  return side.byte + extent.width <= std::size_t{image.width} * image.format.bytes() &&
         side.row + extent.height <= image.height && side.layer + extent.depth <= image.depth;
}

emu::DeviceMemory& memory_of(Session& session, const Array& array) {
  return session.memory_with(reinterpret_cast<const void*>(array.image.address));
}

/// The memory of `bytes` at a place of one side; nullptr if it is not in device memory.
std::byte* place(Session& session, const CopySide& side, const Extent& at, std::size_t bytes, bool write) {
  if (side.array)
    return memory_of(session, *side.array)
        .host(side.array->image.place(side.byte + at.width, side.row + at.height, side.layer + at.depth), bytes);
  std::byte* const pointer = side.pointer + at.depth * side.slice + at.height * side.pitch + at.width;
  const std::uint64_t address = session.device_address(pointer);
  const emu::DeviceMemory& memory = session.memory_with(pointer);
  std::byte* const device = memory.host(address, bytes, write);
  const emu::Allocation* piece = memory.find(address, bytes);
  return device || (piece && piece->gaps) ? device : pointer;
}

/// How many of the `left` bytes that begin at column `at` of a row are contiguous on this side.
std::size_t piece(const CopySide& side, std::size_t at, std::size_t left) {
  return side.array ? std::min(left, kPiece - (side.byte + at) % kPiece) : left;
}

Result copy_pieces(Session& session, const CopySide& to, const CopySide& from, const Extent& extent) {
  Extent at{};
  for (at.depth = 0; at.depth < extent.depth; ++at.depth)
    for (at.height = 0; at.height < extent.height; ++at.height)
      for (at.width = 0; at.width < extent.width;) {
        const std::size_t bytes = piece(to, at.width, piece(from, at.width, extent.width - at.width));
        std::byte* const target = place(session, to, at, bytes, true);
        const std::byte* const source = place(session, from, at, bytes, false);
        if (!target || !source) return kInvalidValue;
        std::memmove(target, source, bytes);
        at.width += bytes;
      }
  return kSuccess;
}

void note_written(Session& session, const CopySide& to, const Extent& extent, bool from_host) {
  if (!to.array) {
    for (std::size_t z = 0; z < extent.depth; ++z)
      for (std::size_t y = 0; y < extent.height; ++y) {
        const std::uint64_t address = session.device_address(to.pointer + z * to.slice + y * to.pitch);
        Device& device = session.device_with(to.pointer);
        if (device.memory.find(address)) device.launcher.written(address, extent.width, from_host);
      }
    return;
  }
  const emu::Image& image = to.array->image;
  const std::uint64_t first = image.place(0, to.row / 8 * 8, to.layer);
  const std::uint64_t end = image.place(0, (to.row + extent.height - 1) / 8 * 8, to.layer + extent.depth - 1);
  session.launcher().written(first, end - first + image.pitch * 8, from_host);
}

}  // namespace

Result check_array(Session& session, const Array* array) {
  if (session.arrays().holds(array)) return kSuccess;
  for (const auto& all : session.mipmapped_arrays().all())
    for (const auto& level : all->levels)
      if (level.get() == array) return kSuccess;
  return session.arrays().was_reset(array) ? kContextIsDestroyed : kInvalidValue;
}

std::optional<emu::TexelFormat> texel_format(const ChannelFormat& format) {
  enum Kind { kSigned = 0, kUnsigned = 1, kFloat = 2 };
  const int bits[] = {format.x, format.y, format.z, format.w};
  std::uint8_t channels = 0;
  while (channels < 4 && bits[channels] != 0) ++channels;
  if (channels == 0 || channels == 3) return std::nullopt;
  for (int i = 0; i < 4; ++i)
    if (bits[i] != (i < channels ? bits[0] : 0)) return std::nullopt;
  if (bits[0] != 8 && bits[0] != 16 && bits[0] != 32) return std::nullopt;
  if (format.kind < kSigned || format.kind > kFloat || (format.kind == kFloat && bits[0] == 8)) return std::nullopt;
  return emu::TexelFormat{.channels = channels,
                          .bits = static_cast<std::uint8_t>(bits[0]),
                          .kind = static_cast<emu::TexelKind>(format.kind)};
}

std::unique_ptr<Array> describe_array(Session& session, const ChannelFormat& channels, const Extent& extent,
                                      unsigned flags) {
  constexpr unsigned kKnown = kArrayLayered | kArraySurface | kArrayCube | kArrayGather;
  constexpr std::uint64_t kTileRow = 64;
  const auto format = texel_format(channels);
  if (!format || (flags & ~kKnown) != 0 || !possible(extent, flags)) return nullptr;
  auto array = std::make_unique<Array>();
  emu::Image& image = array->image;
  image.width = static_cast<std::uint32_t>(extent.width);
  image.height = static_cast<std::uint32_t>(std::max<std::size_t>(extent.height, 1));
  image.depth = static_cast<std::uint32_t>(std::max<std::size_t>(extent.depth, 1));
  image.format = *format;
  image.tiled = true;
  image.tall_pairs = isa::architecture(session.gpu().arch).tall_texel_pairs;
  image.pitch = (std::uint64_t{image.width} * format->bytes() + kTileRow - 1) / kTileRow * kTileRow;
  const bool slices = (flags & (kArrayLayered | kArrayCube)) != 0;
  array->dimensions = !slices && extent.depth != 0 ? 3 : extent.height != 0 ? 2 : 1;
  array->flags = flags;
  array->format = channels;
  array->extent = extent;
  return array;
}

NodeContents array_copy_work(Session& session, const CopySide& to, const CopySide& from, const Extent& extent,
                             CopyKind kind) {
  return {.type = kCopyNode, .work = [=, &session](Stream stream) {
            if (extent.width == 0 || extent.height == 0 || extent.depth == 0) return kSuccess;
            if (kind < kHostToHost || kind > kDefaultCopy) return kInvalidMemcpyDirection;
            for (const CopySide* side : {&to, &from})
              if (const Result known = side->array ? check_array(session, side->array) : kSuccess; known != kSuccess)
                return known;
            if (!fits(to, extent) || !fits(from, extent)) return kInvalidValue;
            session.host_memory().look();
            const Result result = copy_pieces(session, to, from, extent);
            session.memory().changed();
            if (result != kSuccess) return result;
            const auto on_device = [&](const CopySide& side) {
              return side.array || session.memory_with(side.pointer).find(session.device_address(side.pointer));
            };
            const std::size_t bytes = extent.width * extent.height * extent.depth;
            note_written(session, to, extent, !on_device(from) && !in_commands(session, bytes));
            session.timeline().copy(stream, engine_between(on_device(to), on_device(from)), bytes);
            return result;
          }};
}

NodeContents array_box_work(Session& session, const Copy3D& box) {
  const auto* from_array = static_cast<const Array*>(box.from_array);
  const auto* to_array = static_cast<const Array*>(box.to_array);
  // Widths and positions are in elements if one side is an array.
  const std::size_t element = (from_array ? from_array : to_array)->image.format.bytes();
  const auto side = [&](const Array* array, const Pitched& memory, const Extent& at) {
    CopySide result;
    result.array = array;
    if (array) {
      result.byte = at.width * array->image.format.bytes(), result.row = at.height, result.layer = at.depth;
    } else {
      result.pitch = memory.pitch, result.slice = memory.pitch * memory.height;
      result.pointer =
          static_cast<std::byte*>(memory.pointer) + at.depth * result.slice + at.height * memory.pitch + at.width;
    }
    return result;
  };
  return array_copy_work(session, side(to_array, box.to, box.to_position),
                         side(from_array, box.from, box.from_position),
                         {box.extent.width * element, box.extent.height, box.extent.depth}, box.kind);
}

}  // namespace sassim::cuda
