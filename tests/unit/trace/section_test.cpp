// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/section.h"

#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "sim/isa/assembly.h"
#include "sim/trace/bytes.h"
#include "sim/trace/kernel.h"
#include "sim/trace/kernel_codec.h"
#include "tests/unit/trace/streams.h"

namespace sassim::trace {
namespace {

TEST(Section, ContentThatCompressesTooWellIsStoredAsItIs) {
  Section section;
  const std::vector<std::uint8_t> zeros(1 << 20);
  EXPECT_EQ(pack_section(zeros, section).size(), zeros.size());
  const std::vector<std::uint8_t> few(60000);
  EXPECT_LT(pack_section(few, section).size(), 100u);
  EXPECT_EQ(unpack_section(pack_section(zeros, section), section, "x"), zeros);
}

TEST(Section, AFileCannotAskForMuchMemory) {
  for (std::uint64_t stored = 1; stored < std::uint64_t{1} << 48; stored = stored * 3 + 1) {
    EXPECT_LE(largest_content(stored), std::max(64 * stored, std::uint64_t{256} << 20)) << stored;
    EXPECT_LE(largest_content(stored), largest_content(stored + 1)) << stored;
  }
}

TEST(Section, AnnouncedSizesAreCheckedBeforeMemoryIsTaken) {
  Section section;
  const auto stored = pack_section(std::vector<std::uint8_t>(60000), section);
  section.raw = 1ull << 40;
  EXPECT_THROW(unpack_section(stored, section, "x"), InputError);
  section.raw = 59999;
  EXPECT_THROW(unpack_section(stored, section, "x"), InputError);
}

TEST(Section, AbsurdCountsInAnIndexAreErrors) {
  for (const std::uint64_t count : {std::uint64_t{1000}, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    ByteWriter out;
    out.varint(count);
    for (int i = 0; i < 100; ++i) out.u8(0);
    const auto bytes = out.take();
    ByteReader in(bytes, "index");
    EXPECT_THROW(read_index(in), InputError) << count;
  }
}

/// Damage that a checksum would find, given to the decoder itself: what a hostile file with right checksums can do.
TEST(KernelCodec, DamageGivesAnErrorOrAnotherKernel) {
  KernelInfo kernel = kernel_of(6);
  kernel.sm = 80;
  kernel.constants = {{0, {1, 2, 3}}};
  const auto good = encode_kernel(kernel);
  EXPECT_EQ(encode_kernel(decode_kernel(good, "here")), good);
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_THROW(decode_kernel(std::span(good).first(size), "here"), InputError);
  for (std::size_t at = 0; at < good.size(); ++at)
    for (int flip = 1; flip < 256; ++flip) {
      auto bad = good;
      bad[at] ^= static_cast<std::uint8_t>(flip);
      try {
        EXPECT_LE(decode_kernel(bad, "here").block.count(), 1024u);
      } catch (const Error&) {  // NotSupported: another architecture
      }
    }
}

KernelInfo kernel_for(int sm) {
  KernelInfo kernel;
  kernel.name = "k";
  kernel.sm = sm;
  kernel.code = isa::assemble("MOV R0, RZ ;\nNOP ;\nEXIT ;\n");
  return kernel;
}

TEST(KernelCodec, ReadsBackEachArchitectureThatCanBeTraced) {
  for (const isa::Architecture& architecture : isa::architectures()) {
    const KernelInfo read = decode_kernel(encode_kernel(kernel_for(architecture.sm)), "k.sast");
    EXPECT_EQ(read.sm, architecture.sm);
    ASSERT_EQ(read.code.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(read.code[i].pc, architecture.code.pc(i));
    EXPECT_EQ(read.code_bytes(), architecture.code.bytes(3));
  }
}

TEST(KernelCodec, NamesAnArchitectureThatIsUnknown) {
  try {
    decode_kernel(encode_kernel(kernel_for(37)), "k.sast");
    FAIL() << "sm_37 was read";
  } catch (const NotSupported& error) {
    EXPECT_EQ(error.what(), "k.sast: " + isa::unknown_architecture(37));
  }
}

}  // namespace
}  // namespace sassim::trace
