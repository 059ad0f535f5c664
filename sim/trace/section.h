// SPDX-License-Identifier: Apache-2.0
// A .sast file's sections: compression, checksums and where they lie. docs/trace-format.md is the contract.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sassim::trace {

class ByteReader;
class ByteWriter;

inline constexpr std::uint32_t kSastVersion = 2;        ///< that is written
inline constexpr std::uint32_t kSastOldestVersion = 1;  ///< that is read
inline constexpr std::string_view kSastMagic = "SAST\r\n\x1a\n";
inline constexpr std::string_view kSastEnd = "SASTEND\n";
inline constexpr std::size_t kSastHeaderBytes = 16;  ///< magic, version u32, flags u32
inline constexpr std::size_t kSastFooterBytes = 48;  ///< index: offset, stored, raw, hash; frame checksum; end

struct Section {
  std::uint64_t offset = 0;        ///< from the file's start
  std::uint64_t stored = 0;        ///< bytes in the file
  std::uint64_t raw = 0;           ///< bytes of content; == stored: not compressed
  std::uint32_t stored_check = 0;  ///< low half of the XXH64 of the stored bytes
  std::uint64_t hash = 0;          ///< XXH64 of the content

  std::uint64_t end() const { return offset + stored; }
};

/// No section may hold more content than this, so that a small file cannot ask for much memory: 1024 times its size up
/// to 128 MiB, and 64 times its size beyond.
constexpr std::uint64_t largest_content(std::uint64_t stored) {
  constexpr std::uint64_t kMuch = std::uint64_t{128} << 20;
  return std::max(64 * stored, std::min(65536 + 1024 * stored, kMuch));
}

/// The bytes to store for `content`, and its section but for the offset.
std::vector<std::uint8_t> pack_section(std::span<const std::uint8_t> content, Section& section);

/// The inverse, everything checked. Throws InputError starting with `place`.
std::vector<std::uint8_t> unpack_section(std::span<const std::uint8_t> stored, const Section& section,
                                         std::string_view place);

/// Over the header, the index as stored, and the footer's first 32 bytes.
std::uint64_t frame_checksum(std::span<const std::uint8_t> header, std::span<const std::uint8_t> index,
                             std::span<const std::uint8_t> footer);

/// A kernel's part of the index.
struct KernelEntry {
  struct Block {
    std::uint64_t linear = 0;  ///< index in the grid
    std::uint64_t steps = 0;
    Section section;
  };
  std::string name;
  Section info;
  std::vector<Block> blocks;  ///< by rising linear index
};

void write_index(ByteWriter& out, const std::vector<KernelEntry>& kernels);
std::vector<KernelEntry> read_index(ByteReader& in);

}  // namespace sassim::trace
