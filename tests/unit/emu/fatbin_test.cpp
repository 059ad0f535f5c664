// SPDX-License-Identifier: Apache-2.0
#include "sim/emu/core/fatbin.h"

#include <gtest/gtest.h>
#include <lz4.h>
#include <zstd.h>

#include <cstring>

#include "sim/base/error.h"

namespace sassim::emu {
namespace {

struct Image {
  std::uint16_t kind;
  std::uint32_t sm;
  std::string payload;
  std::uint64_t flags = 0;
};

constexpr std::uint64_t kLz4 = 0x2000, kZstd = 0x8000;

std::string packed(const Image& image) {
  const std::string& plain = image.payload;
  if ((image.flags & kZstd) != 0) {
    std::string out(ZSTD_compressBound(plain.size()), '\0');
    out.resize(ZSTD_compress(out.data(), out.size(), plain.data(), plain.size(), 3));
    return out;
  }
  if ((image.flags & kLz4) == 0) return plain;
  const int size = static_cast<int>(plain.size());
  std::string out(static_cast<std::size_t>(LZ4_compressBound(size)), '\0');
  out.resize(
      static_cast<std::size_t>(LZ4_compress_default(plain.data(), out.data(), size, static_cast<int>(out.size()))));
  return out;
}

template <class T>
void put(std::vector<std::uint8_t>& bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

std::vector<std::uint8_t> fatbin(const std::vector<Image>& images) {
  std::vector<std::uint8_t> out(16);
  for (const Image& image : images) {
    const std::string payload = packed(image);
    const bool compressed = (image.flags & (kLz4 | kZstd)) != 0;
    std::vector<std::uint8_t> entry(64);
    put<std::uint16_t>(entry, 0, image.kind);
    put<std::uint32_t>(entry, 4, 64);
    put<std::uint64_t>(entry, 8, payload.size());
    put<std::uint32_t>(entry, 16, compressed ? static_cast<std::uint32_t>(payload.size()) : 0);
    put<std::uint32_t>(entry, 28, image.sm);
    put<std::uint64_t>(entry, 40, 0x11 | image.flags);
    put<std::uint64_t>(entry, 56, compressed ? image.payload.size() : 0);
    out.insert(out.end(), entry.begin(), entry.end());
    out.insert(out.end(), payload.begin(), payload.end());
  }
  put<std::uint32_t>(out, 0, 0xba55ed50);
  put<std::uint16_t>(out, 4, 1);
  put<std::uint16_t>(out, 6, 16);
  put<std::uint64_t>(out, 8, out.size() - 16);
  return out;
}

const std::vector<Image> kImages = {
    {2, 70, "volta cubin"}, {2, 75, std::string(500, 't'), kLz4}, {1, 90, std::string(600, 'h'), kZstd}};

TEST(Fatbin, UnpacksPlainAndCompressedImages) {
  const std::vector<FatImage> images = unpack_fatbin(fatbin(kImages), "test");
  ASSERT_EQ(images.size(), 3u);
  EXPECT_EQ(std::string(images[0].bytes.begin(), images[0].bytes.end()), "volta cubin");
  EXPECT_EQ(images[1].bytes, std::vector<std::uint8_t>(500, 't'));
  EXPECT_EQ(images[2].kind, ImageKind::ptx);
  EXPECT_EQ(images[2].bytes, std::vector<std::uint8_t>(600, 'h'));
  EXPECT_EQ(list_images(images), "sm_70 cubin, sm_75 cubin, sm_90 PTX");
}

TEST(Fatbin, ChoosesTheNewestCubinOfTheSameMajorVersion) {
  const std::vector<FatImage> images = unpack_fatbin(fatbin(kImages), "test");
  EXPECT_EQ(choose_image(images, 75)->sm, 75);
  EXPECT_EQ(choose_image(images, 72)->sm, 70);
  EXPECT_EQ(choose_image(images, 90), nullptr) << "PTX is not machine code";
  EXPECT_EQ(choose_image(images, 60), nullptr);
}

TEST(Fatbin, DamageIsAnErrorWhereverItIs) {
  const std::vector<std::uint8_t> whole = fatbin(kImages);
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_THROW(unpack_fatbin({whole.data(), size}, "test"), InputError) << size;
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      std::vector<std::uint8_t> bytes = whole;
      bytes[at] = static_cast<std::uint8_t>(bytes[at] ^ (1 << bit));
      try {
        for (const FatImage& image : unpack_fatbin(bytes, "test")) EXPECT_LE(image.bytes.size(), 1u << 20);
      } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("test: "), std::string::npos);
      }
    }
}

}  // namespace
}  // namespace sassim::emu
