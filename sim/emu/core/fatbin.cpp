// SPDX-License-Identifier: Apache-2.0
// Unpacks the fat binary of a CUDA program and chooses the cubin for an architecture.
#include "sim/emu/core/fatbin.h"

#include <lz4.h>
#include <zstd.h>

#include <cstring>

#include "sim/base/error.h"
#include "sim/isa/ptx.h"

namespace sassim::emu {

namespace {

constexpr std::uint32_t kMagic = 0xba55ed50;
constexpr std::size_t kHeaderBytes = 16;
constexpr std::size_t kEntryBytes = 64;
constexpr std::uint64_t kLz4 = 0x2000, kZstd = 0x8000;  // bits of an entry's flags: CUDA 13 compresses with zstd
constexpr std::uint64_t kLargestImage = 1ull << 30;

template <class T>
T read(std::span<const std::uint8_t> data, std::size_t offset) {
  T value;
  std::memcpy(&value, data.data() + offset, sizeof value);
  return value;
}

// An entry: u16 kind (1 PTX, 2 cubin), u16, u32 header size, u64 payload size, u32 compressed size, u32, u16 minor,
// u16 major, u32 architecture, u32 name offset, u32 name length, u64 flags, u64, u64 decompressed size.
struct Entry {
  std::uint16_t kind;
  std::uint32_t header_bytes;
  std::uint64_t payload_bytes;
  std::uint32_t compressed_bytes;
  std::uint32_t arch;
  std::uint64_t flags;
  std::uint64_t decompressed_bytes;
};

Entry read_entry(std::span<const std::uint8_t> data, std::size_t at) {
  return {read<std::uint16_t>(data, at),      read<std::uint32_t>(data, at + 4),  read<std::uint64_t>(data, at + 8),
          read<std::uint32_t>(data, at + 16), read<std::uint32_t>(data, at + 28), read<std::uint64_t>(data, at + 40),
          read<std::uint64_t>(data, at + 56)};
}

/// The number of bytes that were written; 0 if the data is damaged or `out` is too small.
std::size_t decompress(std::span<const std::uint8_t> data, bool zstd, std::span<std::uint8_t> out) {
  if (zstd) {
    const std::size_t got = ZSTD_decompress(out.data(), out.size(), data.data(), data.size());
    return ZSTD_isError(got) ? 0 : got;
  }
  const int got = LZ4_decompress_safe(reinterpret_cast<const char*>(data.data()), reinterpret_cast<char*>(out.data()),
                                      static_cast<int>(data.size()), static_cast<int>(out.size()));
  return got < 0 ? 0 : static_cast<std::size_t>(got);
}

std::vector<std::uint8_t> payload_of(const Entry& entry, std::span<const std::uint8_t> payload,
                                     const std::string& place) {
  if ((entry.flags & (kLz4 | kZstd)) == 0) return {payload.begin(), payload.end()};
  if (entry.compressed_bytes > payload.size() || entry.decompressed_bytes > kLargestImage ||
      entry.decompressed_bytes > 256ull * entry.compressed_bytes + 4096)
    throw InputError("{}: fat binary: an image of sm_{} claims to decompress from {} to {} bytes", place, entry.arch,
                     entry.compressed_bytes, entry.decompressed_bytes);
  std::vector<std::uint8_t> out(entry.decompressed_bytes);
  if (decompress(payload.first(entry.compressed_bytes), (entry.flags & kZstd) != 0, out) != entry.decompressed_bytes)
    throw InputError("{}: fat binary: the compressed image of sm_{} is damaged", place, entry.arch);
  return out;
}

}  // namespace

std::uint64_t fatbin_size(const std::uint8_t* header, const std::string& place) {
  const std::span<const std::uint8_t> data(header, kHeaderBytes);
  if (read<std::uint32_t>(data, 0) != kMagic)
    throw InputError("{}: not a fat binary: starts with {:#010x}, expected {:#010x}", place,
                     read<std::uint32_t>(data, 0), kMagic);
  return read<std::uint16_t>(data, 6) + read<std::uint64_t>(data, 8);
}

std::vector<FatImage> unpack_fatbin(std::span<const std::uint8_t> data, const std::string& place) {
  if (data.size() < kHeaderBytes)
    throw InputError("{}: fat binary: {} bytes are too few for its header", place, data.size());
  const std::uint64_t end = fatbin_size(data.data(), place);
  const std::size_t header_bytes = read<std::uint16_t>(data, 6);
  if (header_bytes < kHeaderBytes || end < header_bytes || end > data.size())
    throw InputError("{}: fat binary: the header claims {} bytes, {} are there", place, end, data.size());
  std::vector<FatImage> images;
  std::size_t at = header_bytes;
  while (at < end) {
    if (end - at < kEntryBytes) throw InputError("{}: fat binary: truncated entry at byte {}", place, at);
    const Entry entry = read_entry(data, at);
    if (entry.header_bytes < kEntryBytes || entry.header_bytes > end - at ||
        entry.payload_bytes > end - at - entry.header_bytes)
      throw InputError("{}: fat binary: the entry at byte {} runs past the end", place, at);
    if (entry.kind == 1 || entry.kind == 2)
      images.push_back({entry.kind == 2 ? ImageKind::cubin : ImageKind::ptx, static_cast<int>(entry.arch),
                        payload_of(entry, data.subspan(at + entry.header_bytes, entry.payload_bytes), place)});
    at += entry.header_bytes + entry.payload_bytes;
  }
  return images;
}

const FatImage* choose_image(std::span<const FatImage> images, int sm) {
  const FatImage* best = nullptr;
  for (const FatImage& image : images)
    if (image.kind == ImageKind::cubin && image.sm / 10 == sm / 10 && image.sm <= sm && (!best || image.sm > best->sm))
      best = &image;
  return best;
}

std::string list_images(std::span<const FatImage> images) {
  std::vector<std::string> names;
  for (const FatImage& image : images)
    names.push_back(fmt::format("sm_{} {}", image.sm, image.kind == ImageKind::cubin ? "cubin" : "PTX"));
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

std::vector<std::uint8_t> machine_code(std::span<const FatImage> images, int sm, const std::string& place) {
  if (const FatImage* image = choose_image(images, sm)) return image->bytes;
  const FatImage* newest = nullptr;
  for (const FatImage& image : images)
    if (image.kind == ImageKind::ptx && image.sm <= sm && (!newest || image.sm > newest->sm)) newest = &image;
  if (!newest || isa::find_ptxas().empty()) return {};
  return isa::compile_ptx({reinterpret_cast<const char*>(newest->bytes.data()), newest->bytes.size()}, sm, place);
}

}  // namespace sassim::emu
