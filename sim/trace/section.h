// SPDX-License-Identifier: Apache-2.0
// The sections of a .sast file: compression, checksums and offsets. The format is defined in docs/trace-format.md.
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

inline constexpr std::uint32_t kSastVersion = 2;        ///< the version that is written
inline constexpr std::uint32_t kSastOldestVersion = 1;  ///< the oldest version that can be read
inline constexpr std::string_view kSastMagic = "SAST\r\n\x1a\n";
inline constexpr std::string_view kSastEnd = "SASTEND\n";
inline constexpr std::size_t kSastHeaderBytes = 16;  ///< magic, version u32, flags u32
inline constexpr std::size_t kSastFooterBytes = 48;  ///< index: offset, stored, raw, hash; frame checksum; end

struct Section {
  std::uint64_t offset = 0;        ///< from the start of the file
  std::uint64_t stored = 0;        ///< bytes in the file
  std::uint64_t raw = 0;           ///< bytes of content; equal to `stored` if not compressed
  std::uint32_t stored_check = 0;  ///< low half of the XXH64 of the stored bytes
  std::uint64_t hash = 0;          ///< XXH64 of the content

  std::uint64_t end() const { return offset + stored; }
};

/// Limits the content of a section, so that a small file cannot take much memory: 1024 times its stored size up to 128
/// MiB of content, and 64 times its stored size above.
constexpr std::uint64_t largest_content(std::uint64_t stored) {
  constexpr std::uint64_t kMuch = std::uint64_t{128} << 20;
  return std::max(64 * stored, std::min(65536 + 1024 * stored, kMuch));
}

/// Uncompressed sections make a larger file, which an archiver makes smaller than it can make compressed ones.
enum class Compression { zstd, none };

/// The bytes to store for `content`; fills in its section except for the offset.
std::vector<std::uint8_t> pack_section(std::span<const std::uint8_t> content, Section& section,
                                       Compression compression = Compression::zstd);

/// Unpacks a section and checks everything. Throws InputError that begins with `place`.
std::vector<std::uint8_t> unpack_section(std::span<const std::uint8_t> stored, const Section& section,
                                         std::string_view place);

/// Checksum over the header, the stored index, and the first 32 bytes of the footer.
std::uint64_t frame_checksum(std::span<const std::uint8_t> header, std::span<const std::uint8_t> index,
                             std::span<const std::uint8_t> footer);

/// The part of the index for one kernel.
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
