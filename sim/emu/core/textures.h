// SPDX-License-Identifier: Apache-2.0
// Texture and surface objects: where their texels lie, the texel format, and how texels are read.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

namespace sassim::emu {

enum class TexelKind : std::uint8_t { signed_integer, unsigned_integer, floating };

/// One to four channels of the same size: 8, 16 or 32 bits.
struct TexelFormat {
  std::uint8_t channels = 1, bits = 32;
  TexelKind kind = TexelKind::floating;
  std::uint32_t bytes() const { return channels * bits / 8u; }
};

/// Texels in memory. Linear images store row after row. Arrays store tiles of 64 bytes by 8 rows; a 32-byte sector of a
/// tile holds 16 bytes of each of two rows, a line of 128 bytes 32 bytes of each of four rows. Sizes are in texels;
/// `height` and `depth` are 1 for a dimension that is absent. A layer is a slice.
struct Image {
  std::uint64_t address = 0;
  std::uint64_t pitch = 0;  ///< bytes from one row to the next; tiled: the width in bytes, a multiple of 64
  std::uint32_t width = 1, height = 1, depth = 1;
  TexelFormat format;
  bool tiled = false;
  /// Tiled: 64 bytes hold 16 bytes of each of four rows, as from Turing on, and not 32 bytes of each of two rows.
  bool tall_pairs = false;

  std::uint64_t rows() const { return tiled ? (height + 7u) / 8u * 8u : height; }
  std::uint64_t slice_bytes() const { return pitch * rows(); }
  std::uint64_t bytes() const { return slice_bytes() * depth; }
  /// The address of a row's byte number `byte`.
  std::uint64_t place(std::uint64_t byte, std::uint64_t row, std::uint64_t slice) const {
    const std::uint64_t start = address + slice * slice_bytes();
    if (!tiled) return start + row * pitch + byte;
    const std::uint64_t tile = (row / 8 * (pitch / 64) + byte / 64) * 512;
    const std::uint64_t line = tile + byte % 64 / 32 * 256 + row % 8 / 4 * 128;
    const std::uint64_t column = byte % 32 / 16, in_line = row % 4;
    const std::uint64_t sector = tall_pairs ? column * 64 + in_line / 2 * 32 : in_line / 2 * 64 + column * 32;
    return start + line + sector + row % 2 * 16 + byte % 16;
  }
};

/// The descriptor of a surface that Kepler's code reads (sim/emu/exec/sass64_surface.cpp).
using SurfaceDescriptor = std::array<std::uint32_t, 8>;
/// Of a tiled image; `layers`: its slices are layers or faces.
SurfaceDescriptor surface_descriptor(const Image&, bool layers);

/// What is read outside of an image; in the order of CUDA's cudaTextureAddressMode.
enum class Addressing : std::uint8_t { wrap, clamp, mirror, border };

struct Texture {
  Image image;
  std::array<Addressing, 3> addressing{Addressing::clamp, Addressing::clamp, Addressing::clamp};
  std::uint8_t dimensions = 1;  ///< 1 to 3, layers not counted
  bool layered = false;
  bool linear_filter = false;
  bool normalized = false;  ///< coordinates range from 0 to 1
  bool to_float = false;    ///< integers are converted to the range 0 to 1, or -1 to 1 if signed
  bool srgb = false;        ///< the first three channels of 8-bit texels are converted from sRGB
  std::array<float, 4> border{};
  std::vector<Image> smaller = {};     ///< levels of detail from 1 on
  bool linear_between_levels = false;  ///< two levels are blended
  float level_bias = 0, least_level = 0, most_level = 0;
};

/// Texture objects by the handle that programs pass to kernels.
class Textures {
 public:
  std::uint64_t add(const Texture& texture) {
    textures_[++last_] = texture;
    ++version_;
    return last_;
  }
  void replace(std::uint64_t handle, const Texture& texture) {
    textures_[handle] = texture;
    ++version_;
  }
  /// Also true for a handle from before clear().
  bool remove(std::uint64_t handle) {
    ++version_;
    return textures_.erase(handle) != 0 || (handle != 0 && handle <= cleared_);
  }
  void clear() {
    textures_.clear();
    cleared_ = last_;
    ++version_;
  }
  /// Rises with each change.
  std::uint64_t version() const { return version_; }
  /// nullptr if there is no such object. Instructions see the lower half of a handle.
  const Texture* find(std::uint64_t handle) const {
    const auto found = textures_.find(handle);
    return found == textures_.end() ? nullptr : &found->second;
  }

 private:
  std::map<std::uint64_t, Texture> textures_;
  std::uint64_t last_ = 0, cleared_ = 0, version_ = 0;
};

}  // namespace sassim::emu
