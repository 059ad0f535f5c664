// SPDX-License-Identifier: Apache-2.0
// Sizes and headers of a bundle's container (archive.h), for its writer and its reader.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "sim/bundle/archive.h"

namespace sassim::bundle {

inline constexpr std::size_t kTarBlock = 512;
inline constexpr std::size_t kFrame = std::size_t{1} << 20;  ///< largest content of a zstd frame
inline constexpr int kWindowLog = 23;                        ///< largest memory for decompression: 8 MiB
inline constexpr std::uint64_t kLargestPart = 077777777777;  ///< largest size that ustar can store
inline constexpr std::size_t kSumFrame = 16;                 ///< bytes of the last frame
inline constexpr std::uint32_t kSkippable = 0x184D2A50, kSumBytes = 8;

using TarHeader = std::array<char, kTarBlock>;

/// The header of a part; name and size determine all of its bytes.
TarHeader tar_header(std::string_view name, std::uint64_t bytes);

/// The unpacked size is limited, so that a small file cannot fill a disk.
constexpr std::uint64_t most_content(std::uint64_t stored) { return 65536 + 1024 * stored; }

constexpr std::uint64_t padding_of(std::uint64_t bytes) { return (kTarBlock - bytes % kTarBlock) % kTarBlock; }

/// Little-endian numbers.
template <class Number>
void store(char* to, Number value) {
  for (std::size_t i = 0; i < sizeof value; ++i) to[i] = static_cast<char>(value >> (8 * i));
}
template <class Number>
Number load(const char* from) {
  Number value = 0;
  for (std::size_t i = 0; i < sizeof value; ++i) value |= Number{static_cast<unsigned char>(from[i])} << (8 * i);
  return value;
}

}  // namespace sassim::bundle
