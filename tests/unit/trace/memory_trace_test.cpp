// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/memory_trace.h"

#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "sim/trace/block_codec.h"
#include "tests/unit/trace/streams.h"

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
