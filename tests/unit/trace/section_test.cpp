// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/section.h"

#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "sim/isa/assembly.h"
#include "sim/trace/block_codec.h"
#include "sim/trace/bytes.h"
#include "sim/trace/kernel.h"
#include "sim/trace/kernel_codec.h"
#include "sim/trace/memory_trace.h"
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
    decode_kernel(encode_kernel(kernel_for(30)), "k.sast");
    FAIL() << "sm_30 was read";
  } catch (const NotSupported& error) {
    EXPECT_EQ(error.what(), "k.sast: " + isa::unknown_architecture(30));
  }
}

}  // namespace
}  // namespace sassim::trace

namespace sassim::trace {
namespace {

std::shared_ptr<const BlockTrace> block_of(const KernelInfo& kernel, std::uint64_t linear) {
  auto block = std::make_shared<BlockTrace>();
  block->id = block_position(kernel.grid, linear);
  std::mt19937 random(static_cast<unsigned>(linear));
  for (std::uint32_t w = 0; w < kernel.warps_per_block(); ++w)
    block->warps.push_back(record(kernel, random_steps(random, kernel.code.size(), 50)));
  return block;
}

KernelInfo small_kernel() {
  KernelInfo kernel = kernel_of(20);
  kernel.grid = {3, 2, 2};
  kernel.block = {64, 1, 1};
  return kernel;
}

TEST(MemoryTrace, ReturnsBlocksInGridOrderHoweverTheyWereAdded) {
  const KernelInfo kernel = small_kernel();
  MemoryTrace forward(kernel), backward(kernel);
  for (std::uint64_t i = 0; i < 12; ++i) forward.add(block_of(kernel, i));
  for (std::uint64_t i = 12; i-- > 0;) backward.add(block_of(kernel, i));
  EXPECT_EQ(forward.block_count(), 12u);
  EXPECT_EQ(backward.block(BlockId(7))->id, (Dim3{1, 0, 1}));
  EXPECT_EQ(forward.hash(), backward.hash());
  GeneratedTrace generated(kernel, [&](BlockId id) { return block_of(kernel, id.value); });
  EXPECT_EQ(generated.hash(), forward.hash()) << "what a trace holds names it, not how it is kept";
}

TEST(MemoryTrace, HashesDifferWhenOneAddressDoes) {
  const KernelInfo kernel = kernel_of(1);
  auto hash = [&](std::uint64_t address) {
    auto block = std::make_shared<BlockTrace>();
    for (int w = 0; w < 8; ++w) block->warps.push_back(record(kernel, {affine(0, address, 4)}));
    MemoryTrace trace(kernel);
    trace.add(block);
    return trace.hash();
  };
  EXPECT_EQ(hash(128), hash(128));
  EXPECT_NE(hash(128), hash(256));
}

TEST(MemoryTrace, ABlockCannotBeRecordedTwice) {
  const KernelInfo kernel = small_kernel();
  MemoryTrace trace(kernel);
  trace.add(block_of(kernel, 3));
  trace.add(block_of(kernel, 3));
  EXPECT_THROW(trace.block(BlockId(0)), std::logic_error);
}

TEST(BlockCodec, ReturnsEveryWarp) {
  const KernelInfo kernel = small_kernel();
  const auto block = block_of(kernel, 5);
  const auto bytes = encode_block(*block);
  const auto back = decode_block(bytes, kernel, "here", nullptr);
  EXPECT_EQ(back->id, block->id);
  ASSERT_EQ(back->warps.size(), block->warps.size());
  for (std::size_t w = 0; w < back->warps.size(); ++w) EXPECT_EQ(play(*back->warps[w]), play(*block->warps[w]));
  EXPECT_EQ(encode_block(*back), bytes);
}

/// Plays at most some steps: a damaged count may announce more than anyone wants to wait for.
void play_some(const BlockTrace& block) {
  for (const auto& warp : block.warps) {
    auto cursor = warp->cursor();
    Step step;
    for (int n = 0; n < 1000 && cursor.next(step); ++n) {
    }
  }
}

TEST(BlockCodec, DamageGivesAnErrorOrOtherSteps) {
  const KernelInfo kernel = small_kernel();
  const auto good = encode_block(*block_of(kernel, 1));
  int errors = 0;
  for (std::size_t at = 0; at < good.size(); ++at)
    for (const int flip : {1, 0x40, 0x80, 0xff}) {
      auto bad = good;
      bad[at] ^= static_cast<std::uint8_t>(flip);
      try {
        play_some(*decode_block(bad, kernel, "here", nullptr));
      } catch (const InputError& e) {
        ++errors;
        EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
      }
    }
  EXPECT_GT(errors, 100);
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_THROW(play_some(*decode_block(std::span(good).first(size), kernel, "here", nullptr)), InputError);
}

}  // namespace
}  // namespace sassim::trace
