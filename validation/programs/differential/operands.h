// SPDX-License-Identifier: Apache-2.0
// The operands of the differential tests: special values in all combinations, then random ones. The same on every
// machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace differential {

inline constexpr std::uint32_t kRows = 4096;  ///< a multiple of 256

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {  // splitmix64
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

inline const std::vector<std::uint64_t>& specials(const std::string& kind) {
  static const std::vector<std::uint64_t> i32 = {0,          1,          2,          31,        32,     33,
                                                 0x7f,       0x80,       0xff,       0x8000,    0xffff, 0x7fffffff,
                                                 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff};
  static const std::vector<std::uint64_t> i64 = {0,
                                                 1,
                                                 63,
                                                 64,
                                                 0x7fffffff,
                                                 0x80000000,
                                                 0xffffffff,
                                                 0x100000000,
                                                 0x7fffffffffffffff,
                                                 0x8000000000000000,
                                                 0xffffffffffffffff,
                                                 0xffffffff00000000,
                                                 0x8000000000000001,
                                                 3,
                                                 10,
                                                 0x20};
  static const std::vector<std::uint64_t> f32 = {0x00000000, 0x80000000, 0x00000001, 0x807fffff, 0x00800000, 0x3f800000,
                                                 0xbf800000, 0x3fc00000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000,
                                                 0x7fc12345, 0xff812345, 0x4effffff, 0x33800000};
  static const std::vector<std::uint64_t> f64 = {0,
                                                 0x8000000000000000,
                                                 1,
                                                 0x800fffffffffffff,
                                                 0x0010000000000000,
                                                 0x3ff0000000000000,
                                                 0xbff0000000000000,
                                                 0x3ff8000000000000,
                                                 0x7fefffffffffffff,
                                                 0x7ff0000000000000,
                                                 0xfff0000000000000,
                                                 0x7ff8000012345678,
                                                 0xfff4000012345678,
                                                 0x41dfffffffc00000,
                                                 0x43e0000000000000,
                                                 0x380fffffe0000000};
  static const std::vector<std::uint64_t> f16 = {0x00000000, 0x80008000, 0x00010001, 0x83ff0400, 0x3c003c00, 0xbc003e00,
                                                 0x7bff7bff, 0x7c00fc00, 0x7e017c01, 0x10003c01, 0xfbff0400, 0x04008001,
                                                 0x3555b555, 0x14000c00, 0x787f0bff, 0x66006800};
  static const std::vector<std::uint64_t> bf16 = {
      0x00000000, 0x80008000, 0x00010001, 0x807f0080, 0x3f803f80, 0xbf803fc0, 0x7f7f7f7f, 0x7f80ff80,
      0x7fc17f81, 0x3f813f01, 0xff7f0080, 0x00ff8001, 0x3eabbeab, 0x40490fdb, 0x20003000, 0x42804300};
  if (kind == "i64") return i64;
  if (kind == "f32") return f32;
  if (kind == "f64") return f64;
  if (kind == "f16") return f16;
  if (kind == "bf16") return bf16;
  return i32;
}

/// 16-bit floats whose exponents are near that of one, so that sums of products keep many of their terms.
inline std::uint32_t modest_half(std::uint64_t random, unsigned exponent_bits, unsigned bias) {
  const unsigned fraction_bits = 15 - exponent_bits;
  const std::uint32_t exponent = bias - 4 + static_cast<std::uint32_t>(random >> 16) % 8;
  return static_cast<std::uint32_t>(random >> 15 & 1) << 15 | exponent << fraction_bits |
         (static_cast<std::uint32_t>(random) & ((1u << fraction_bits) - 1));
}

inline std::uint64_t random_operand(const std::string& kind, Random& random, bool accumulator) {
  const std::uint64_t value = random.next();
  const unsigned how = static_cast<unsigned>(random.next() >> 60);
  if (kind == "f32" && how < 8) return (value & 0x807fffff) | (100 + (value >> 40) % 56) << 23;
  if (kind == "f32" && how < 10) return (value & 0x807fffff) | ((value >> 40) % 4) << 23;
  if (kind == "f64" && how < 8) return (value & 0x800fffffffffffff) | (995 + (random.next() >> 32) % 56) << 52;
  if (kind == "f64" && how < 10) return (value & 0x800fffffffffffff) | ((random.next() >> 32) % 4) << 52;
  if ((kind == "i32" || kind == "i64") && how < 4) return value & 0xff;
  if (kind == "mma" && accumulator && how < 12) return (value & 0x807fffff) | (122 + (value >> 40) % 10) << 23;
  if (kind == "mmawide" && accumulator && how < 8) return (value & 0x807fffff) | (100 + (value >> 40) % 56) << 23;
  if (kind == "mma") return modest_half(value, 5, 15) | modest_half(value >> 32, 5, 15) << 16;
  if (kind == "mmabf" && !accumulator) return modest_half(value, 8, 127) | modest_half(value >> 32, 8, 127) << 16;
  if (kind == "mmabf" || kind == "mmatf") return (value & 0x807fffff) | (122 + (value >> 40) % 10) << 23;
  return value;
}

/// kRows values of each of three operands.
inline std::vector<std::uint64_t> operands(const std::string& kind) {
  std::vector<std::uint64_t> table(3 * kRows);
  Random random(20260000 + kind.size() * 1000 + static_cast<unsigned char>(kind[0]) +
                static_cast<unsigned char>(kind.back()));
  const std::vector<std::uint64_t>& values = specials(kind);
  const bool matrices = kind.rfind("mma", 0) == 0;
  for (std::uint32_t i = 0; i < kRows; ++i)
    for (std::uint32_t k = 0; k < 3; ++k) {
      const std::uint32_t choice = k == 0   ? i % 16
                                   : k == 1 ? i / 16 % 16
                                            : (i / 16 * 5 + i / 256 * 7 + i * 3 + i / 64) % 16;
      table[k * kRows + i] = !matrices && i < 1024 ? values[choice] : random_operand(kind, random, k == 2);
    }
  return table;
}

/// FNV-1a over words.
inline std::uint64_t hash_words(const std::uint32_t* words, std::size_t count) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (std::size_t i = 0; i < count; ++i)
    for (int shift = 0; shift < 32; shift += 8) hash = (hash ^ (words[i] >> shift & 255)) * 0x100000001b3u;
  return hash;
}

}  // namespace differential
