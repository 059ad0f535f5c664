// SPDX-License-Identifier: Apache-2.0
// What texture and surface objects say of memory: where texels lie, their format, and how they are read.
#pragma once

#include <array>
#include <cstdint>
#include <map>

namespace sassim::emu {

enum class TexelKind : std::uint8_t { signed_integer, unsigned_integer, floating };

/// One to four channels of 8, 16 or 32 bits, all alike.
struct TexelFormat {
  std::uint8_t channels = 1, bits = 32;
  TexelKind kind = TexelKind::floating;
  std::uint32_t bytes() const { return channels * bits / 8u; }
};

/// Texels in memory: rows one after another, or (arrays) tiles of 64 bytes by 8 rows, whose sectors of 32 bytes are 16
/// bytes of two rows each. Sizes in texels; `height` and `depth` are 1 where there is no such dimension. Layers are
/// slices.
struct Image {
  std::uint64_t address = 0;
  std::uint64_t pitch = 0;  ///< bytes from row to row; of tiles: the width in bytes, a multiple of 64
  std::uint32_t width = 1, height = 1, depth = 1;
  TexelFormat format;
  bool tiled = false;

  std::uint64_t rows() const { return tiled ? (height + 7u) / 8u * 8u : height; }
  std::uint64_t slice_bytes() const { return pitch * rows(); }
  std::uint64_t bytes() const { return slice_bytes() * depth; }
  /// The address of the byte `byte` of a row.
  std::uint64_t place(std::uint64_t byte, std::uint64_t row, std::uint64_t slice) const {
    const std::uint64_t start = address + slice * slice_bytes();
    if (!tiled) return start + row * pitch + byte;
    const std::uint64_t tile = (row / 8 * (pitch / 64) + byte / 64) * 512;
    return start + tile + byte % 64 / 32 * 256 + row % 8 / 2 * 64 + byte % 32 / 16 * 32 + row % 2 * 16 + byte % 16;
  }
};

/// In the order of CUDA's enumeration.
enum class Addressing : std::uint8_t { wrap, clamp, mirror, border };

struct Texture {
  Image image;
  std::array<Addressing, 3> addressing{Addressing::clamp, Addressing::clamp, Addressing::clamp};
  std::uint8_t dimensions = 1;  ///< 1 to 3, layers not counted
  bool layered = false;
  bool linear_filter = false;
  bool normalized = false;  ///< coordinates from 0 to 1
  bool to_float = false;    ///< integers become numbers from 0 or -1 to 1
  std::array<float, 4> border{};
};

/// Objects by the number that programs hand to kernels.
class Textures {
 public:
  std::uint64_t add(const Texture& texture) {
    textures_[++last_] = texture;
    return last_;
  }
  void replace(std::uint64_t handle, const Texture& texture) { textures_[handle] = texture; }
  bool remove(std::uint64_t handle) { return textures_.erase(handle) != 0; }
  /// nullptr: there is no such object. Instructions see the lower half of a handle.
  const Texture* find(std::uint64_t handle) const {
    const auto found = textures_.find(handle);
    return found == textures_.end() ? nullptr : &found->second;
  }

 private:
  std::map<std::uint64_t, Texture> textures_;
  std::uint64_t last_ = 0;
};

}  // namespace sassim::emu
