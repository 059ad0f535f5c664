// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/unit/trace/streams.h"

namespace sassim::trace {
namespace {

TEST(Stream, AnEmptyWarpHasNoSteps) {
  const KernelInfo kernel = kernel_of(4);
  EXPECT_TRUE(play(*record(kernel, {})).empty());
  Cursor nothing;
  Step step;
  EXPECT_FALSE(nothing.next(step));
}

TEST(Stream, ReturnsRandomWalksUnchanged) {
  std::mt19937 random(1);
  const KernelInfo kernel = kernel_of(60);
  for (int round = 0; round < 60; ++round) {
    const auto steps = random_steps(random, kernel.code.size(), 400);
    const auto stream = record(kernel, steps);
    EXPECT_EQ(stream->steps(), steps.size());
    ASSERT_EQ(play(*stream), steps) << "round " << round;
  }
}

TEST(Stream, NestedLoopsCostNothingPerIteration) {
  const KernelInfo kernel = kernel_of(64);
  auto nest = [&](int outer, int inner) {
    std::vector<Step> steps{plain(0), plain(1)};
    for (int o = 0; o < outer; ++o) {
      for (int i = 0; i < inner; ++i)
        for (std::uint32_t pc = 8; pc < 20; ++pc) steps.push_back(plain(pc));
      for (std::uint32_t pc = 20; pc < 23; ++pc) steps.push_back(plain(pc));
      if (o + 1 < outer) steps.push_back(plain(4));
    }
    steps.push_back(plain(23));
    return steps;
  };
  const auto few = record(kernel, nest(5, 5)), many = record(kernel, nest(40, 30));
  EXPECT_EQ(play(*many), nest(40, 30));
  EXPECT_LE(many->bytes(), few->bytes() + 8) << "only the counts may take more bytes";
}

TEST(Stream, StridedLoopsCostNothingPerIteration) {
  const KernelInfo kernel = kernel_of(8);
  std::vector<Step> steps;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    steps.push_back(affine(0, 0x7f0000000000 + 512 * i, 4));
    steps.push_back(affine(1, 128, 4, isa::Space::shared));
    steps.push_back(plain(2));
  }
  const auto stream = record(kernel, steps);
  EXPECT_EQ(play(*stream), steps);
  EXPECT_LT(stream->bytes(), 60u);
}

TEST(Stream, AListThatMovesAsAWholeIsStoredOnce) {
  const KernelInfo kernel = kernel_of(2);
  std::vector<Step> steps;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    Step step = affine(0, 0, 0, isa::Space::shared);
    for (std::size_t lane = 0; lane < 32; ++lane) step.addresses.list()[lane] = 1024 * i + 16 * (lane ^ (lane >> 2));
    steps.push_back(step);
  }
  const auto stream = record(kernel, steps);
  EXPECT_EQ(play(*stream), steps);
  EXPECT_LT(stream->bytes(), 100u);
}

TEST(Stream, AnInstructionMayGetLanesOfItsOwnLate) {
  const KernelInfo kernel = kernel_of(4);
  std::vector<Step> steps(100, plain(1));
  steps.push_back(plain(1));
  steps.back().lanes = LaneMask(0);
  steps.push_back(plain(1));
  steps.push_back(affine(1, 4096, 8));
  EXPECT_EQ(play(*record(kernel, steps)), steps);
}

TEST(Stream, FindsStridesInListsAndUnderMasks) {
  const KernelInfo kernel = kernel_of(1);
  Step step = affine(0, 0, 0);
  step.lanes = step.active = LaneMask(0xff0f0);
  for (std::size_t lane = 0; lane < 32; ++lane) step.addresses.list()[lane] = 0x1000 - 4 * lane;
  const auto back = play(*record(kernel, {step}));
  ASSERT_EQ(back.size(), 1u);
  EXPECT_TRUE(back[0].addresses.affine());
  EXPECT_EQ(back[0].addresses.stride(), -4);
  EXPECT_EQ(back[0], step);
  LaneAddresses::Array all;
  back[0].addresses.expand(back[0].lanes, all);
  EXPECT_EQ(all[0], 0u);
  EXPECT_EQ(all[4], 0x1000u - 16);
}

TEST(Stream, ACopiedCursorGoesOnFromTheSamePlace) {
  std::mt19937 random(2);
  const KernelInfo kernel = kernel_of(30);
  const auto stream = record(kernel, random_steps(random, 30, 300));
  auto cursor = stream->cursor();
  Step a, b;
  for (int i = 0; i < 150; ++i) cursor.next(a);
  auto copy = cursor;
  while (cursor.next(a)) {
    ASSERT_TRUE(copy.next(b));
    ASSERT_EQ(a, b);
  }
  EXPECT_FALSE(copy.next(b));
}

TEST(Stream, ACursorOutlivesItsStream) {
  const KernelInfo kernel = kernel_of(3);
  auto cursor = record(kernel, {plain(0), affine(1, 64, 4), plain(2)})->cursor();
  Step step;
  int n = 0;
  while (cursor.next(step)) ++n;
  EXPECT_EQ(n, 3);
}

TEST(Stream, CountsHowOftenSegmentsRan) {
  const KernelInfo kernel = kernel_of(10);
  std::vector<Step> steps{plain(0)};
  for (int i = 0; i < 1000; ++i) {
    steps.push_back(plain(4));
    steps.push_back(plain(5));
  }
  const auto stream = record(kernel, steps);
  std::vector<std::uint64_t> per_instruction(10);
  const auto counts = stream->body()->segment_counts();
  for (std::size_t i = 0; i < counts.size(); ++i)
    for (auto at = stream->body()->segments()[i].start; at < stream->body()->segments()[i].end; ++at)
      per_instruction[at] += counts[i];
  EXPECT_EQ(per_instruction, (std::vector<std::uint64_t>{1, 0, 0, 0, 1000, 1000, 0, 0, 0, 0}));
}

TEST(Stream, WarpsThatRanTheSameWayShareABody) {
  const KernelInfo kernel = kernel_of(4);
  auto pool = std::make_shared<BodyPool>();
  auto warp = [&](std::uint64_t base) {
    WarpStreamBuilder builder(kernel, pool);
    for (std::uint64_t i = 0; i < 10; ++i) builder.append(affine(1, base + 4096 * i, 4));
    return builder.finish();
  };
  const auto a = warp(0x10000), b = warp(0x10080);
  EXPECT_EQ(a->body(), b->body());
  EXPECT_EQ(play(*b)[3].addresses.base(), 0x10080u + 3 * 4096);
}

TEST(Stream, RefusesWhatCannotHaveRun) {
  const KernelInfo kernel = kernel_of(2);
  WarpStreamBuilder builder(kernel);
  EXPECT_THROW(builder.append(plain(2)), std::logic_error);
  Step step = plain(0, LaneMask(1));
  step.lanes = LaneMask(2);
  EXPECT_THROW(builder.append(step), std::logic_error);
}

}  // namespace
}  // namespace sassim::trace
