// SPDX-License-Identifier: Apache-2.0
// What steps say beside masks and addresses: recorded and read back, read from version 1, and refused when damaged.
#include "sim/trace/detail.h"

#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "sim/isa/assembly.h"
#include "tests/unit/trace/streams.h"

namespace sassim::trace {
namespace {

constexpr std::size_t kCode = 12;
constexpr auto kKinds = static_cast<std::uint32_t>(DetailKind::count_);

Step with_detail(Step step, DetailKind kind, std::uint32_t value) {
  step.detail.set(kind, value);
  return step;
}

/// Steps of every kind at instructions of their own, with values that repeat, change and differ between lanes.
std::vector<Step> steps_with_details(std::mt19937& random, std::size_t count) {
  auto below = [&](std::uint64_t n) { return std::uniform_int_distribution<std::uint64_t>(0, n - 1)(random); };
  std::vector<Step> steps;
  while (steps.size() < count) {
    const auto index = static_cast<std::uint32_t>(below(kCode));
    Step step = plain(index);
    const auto kind = static_cast<DetailKind>(index % kKinds);
    const std::uint32_t most = std::min(largest_value(kind), 1000u);
    if (of_lanes(kind)) step = affine(index, 64 * below(100), 16);
    if (below(4) == 0) step.lanes = LaneMask(static_cast<std::uint32_t>(below(1ull << 32)));
    if (kind == DetailKind::block_barrier)
      step.detail.set(BlockBarrier{static_cast<std::uint32_t>(below(2)), static_cast<std::uint32_t>(32 * below(3))});
    else if (of_lanes(kind) && below(3) == 0)
      for (auto& value : step.detail.set_lanes(kind)) value = static_cast<std::uint32_t>(below(most + 1));
    else if (kind != DetailKind::none && below(8) != 0)
      step.detail.set(kind, static_cast<std::uint32_t>(below(3)));
    if (step.lanes.none()) step.has_addresses = false, step.detail.clear();
    for (std::uint64_t n = 1 + below(3); n != 0; --n) steps.push_back(step);
  }
  return steps;
}

TEST(Detail, ComesBackUnchanged) {
  std::mt19937 random(7);
  const KernelInfo kernel = kernel_of(kCode);
  for (int i = 0; i < 100; ++i) {
    const std::vector<Step> steps = steps_with_details(random, 200);
    const auto stream = record(kernel, steps);
    ASSERT_EQ(play(*stream), steps);
    ASSERT_EQ(rewritten(stream), stream) << "it is as this version writes it";
  }
}

TEST(Detail, ThatRepeatsCostsNothingAndNoneCostsNothing) {
  const KernelInfo kernel = kernel_of(4);
  std::vector<Step> with, without;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    without.push_back(affine(1, 4096 * i, 16));
    with.push_back(with_detail(affine(1, 4096 * i, 16), DetailKind::copy_shift, 3));
  }
  const std::size_t cost = record(kernel, with)->bytes() - record(kernel, without)->bytes();
  EXPECT_LE(cost, 6u);
}

TEST(Detail, OfTwoKindsAtOneInstructionIsRefused) {
  WarpStreamBuilder builder(kernel_of(1));
  builder.append(with_detail(plain(0), DetailKind::sleep, 100));
  EXPECT_THROW(builder.append(with_detail(plain(0), DetailKind::sync_masks, 1)), std::logic_error);
}

TEST(Detail, IsReadFromAddressesOfVersion1) {
  const KernelInfo kernel = kernel_of(5);
  Step test = affine(3, 0x40, 0, isa::Space::shared);
  for (std::size_t lane = 0; lane < kWarpSize; ++lane) test.addresses.list()[lane] = 0x40 | (lane % 4) << 32;
  const std::vector<Step> steps{affine(0, 3 | 64 << 16, 0, isa::Space::none), affine(1, 7, 0, isa::Space::none),
                                affine(2, 0x1000 + 5, 16), test, affine(4, 0x1000 + 5, 16)};
  const auto packed = record(kernel, steps);
  const std::vector<DetailKind> kinds{DetailKind::block_barrier, DetailKind::sync_masks, DetailKind::copy_shift,
                                      DetailKind::phase_test, DetailKind::none};
  const auto bytes = packed->body()->bytes();
  const auto body = StreamBody::parse_version_1({bytes.begin(), bytes.end()}, kinds, "here");
  const auto stream =
      std::make_shared<const WarpStream>(body, std::vector(packed->origins().begin(), packed->origins().end()));
  const std::vector<Step> said = play(*stream);
  ASSERT_EQ(said.size(), 5u);
  EXPECT_FALSE(said[0].has_addresses);
  EXPECT_EQ(said[0].detail.block_barrier()->number, 3u);
  EXPECT_EQ(said[0].detail.block_barrier()->threads, 64u);
  EXPECT_EQ(said[1].detail.sync_masks(), 7u);
  EXPECT_EQ(said[2].addresses[2], 0x1020u);
  EXPECT_EQ(said[2].detail.copy_shifts(LaneMask::all())[2], 5u);
  EXPECT_EQ(said[3].addresses[31], 0x40u);
  EXPECT_TRUE(said[3].detail.phase_test(3)->over && said[3].detail.phase_test(3)->phase);
  EXPECT_FALSE(said[3].detail.phase_test(2)->over);
  EXPECT_EQ(said[4].addresses[0], 0x1005u) << "no detail here";
  const auto anew = rewritten(stream);
  EXPECT_FALSE(anew->body()->packed());
  EXPECT_EQ(play(*anew), said);
}

/// Reads all steps of a damaged body, as far as they go.
void try_to_read(std::vector<std::uint8_t> bytes, std::size_t origins) {
  try {
    const WarpStream stream(StreamBody::parse(std::move(bytes), kCode, "here"), std::vector<std::uint64_t>(origins));
    auto cursor = stream.cursor();
    Step step;
    for (int i = 0; i < 1000 && cursor.next(step); ++i) {
      if (step.detail.none()) continue;
      EXPECT_FALSE(step.lanes.none());
      EXPECT_FALSE(detail_text(step.detail, step.lanes).empty());
      for (int lane = 0; lane < kWarpSize; ++lane)
        EXPECT_TRUE(!step.lanes.test(lane) || step.detail.raw(lane) <= largest_value(step.detail.kind()));
    }
  } catch (const InputError&) {
  }
}

TEST(Detail, DamageIsAnErrorOrAnotherTrace) {
  std::mt19937 random(11);
  const KernelInfo kernel = kernel_of(kCode);
  const auto stream = record(kernel, steps_with_details(random, 60));
  const std::vector<std::uint8_t> whole(stream->body()->bytes().begin(), stream->body()->bytes().end());
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const int flip : {1, 2, 4, 8, 16, 32, 64, 128, 255}) {
      auto bytes = whole;
      bytes[at] = static_cast<std::uint8_t>(bytes[at] ^ flip);
      try_to_read(bytes, stream->origins().size());
    }
    try_to_read({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(at)}, stream->origins().size());
  }
}

/// The error of reading a body that ends with this table of details.
std::string error_of(std::vector<std::uint8_t> table) {
  const auto stream = record(kernel_of(kCode), {affine(1, 0, 4), affine(2, 0, 4)});
  std::vector<std::uint8_t> bytes(stream->body()->bytes().begin(), stream->body()->bytes().end());
  bytes.insert(bytes.end(), table.begin(), table.end());
  try {
    StreamBody::parse(bytes, kCode, "here");
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST(Detail, ATableThatMakesNoSenseIsRefused) {
  EXPECT_EQ(error_of({1, 0, 4}), "");
  EXPECT_NE(error_of({1, 0, 0}).find("details of unknown kind 0"), std::string::npos);
  EXPECT_NE(error_of({1, 0, 11}).find("details of unknown kind 11"), std::string::npos);
  EXPECT_NE(error_of({1, 2, 4}).find("a detail of a slot that does not exist"), std::string::npos);
  EXPECT_NE(error_of({0}).find("a table of details without slots"), std::string::npos);
  EXPECT_NE(error_of({2, 0, 4}).find("the number of slots with details"), std::string::npos);
  EXPECT_NE(error_of({1, 0, 4, 0}), "") << "bytes behind it";
}

TEST(Detail, BelongsToItsInstruction) {
  const auto kind = [](const char* text) { return detail_kind(isa::parse_instruction(text, "here")); };
  EXPECT_EQ(kind("BAR.SYNC R2, R2"), DetailKind::block_barrier);
  EXPECT_EQ(kind("WARPSYNC R3"), DetailKind::sync_masks);
  EXPECT_EQ(kind("MATCH.ANY R2, R3"), DetailKind::match_values);
  EXPECT_EQ(kind("NANOSLEEP R0"), DetailKind::sleep);
  EXPECT_EQ(kind("LDGSTS.E.BYPASS.128 [R4], [R2.64]"), DetailKind::copy_shift);
  EXPECT_EQ(kind("LDGSTS.E.128 [R4], [R2.64]"), DetailKind::none) << "through the L1 it does not matter";
  EXPECT_EQ(kind("SYNCS.EXCH.64 URZ, [UR4], UR6"), DetailKind::barrier_init);
  EXPECT_EQ(kind("SYNCS.ARRIVE.TRANS64.ART0 R6, [R2+URZ], R3"), DetailKind::barrier_arrivals);
  EXPECT_EQ(kind("SYNCS.ARRIVE.TRANS64.A1T0 R6, [R2+URZ], RZ"), DetailKind::none);
  EXPECT_EQ(kind("SYNCS.ARRIVE.TRANS64.RED.A0T1 RZ, [R2+URZ], RZ"), DetailKind::none);
  EXPECT_EQ(kind("SYNCS.ARRIVE.TRANS64 RZ, [UR7], R2"), DetailKind::barrier_bytes);
  EXPECT_EQ(kind("SYNCS.ARRIVE.TRANS64.RED.A0TR RZ, [UR7], R2"), DetailKind::barrier_bytes);
  EXPECT_EQ(kind("SYNCS.CCTL.IV [UR4]"), DetailKind::none);
  EXPECT_EQ(kind("UBLKCP.S.G [UR6], [UR8], UR4"), DetailKind::bulk_copy);
  EXPECT_EQ(kind("SYNCS.PHASECHK.TRANS64 P0, [R2+URZ], R17"), DetailKind::phase_test);
}

TEST(Detail, IsPrintedWithItsMeaning) {
  const auto text = [](DetailKind kind, std::uint32_t value) {
    return detail_text(with_detail(plain(0), kind, value).detail, LaneMask::all());
  };
  EXPECT_EQ(text(DetailKind::sleep, 100), "100 ns");
  EXPECT_EQ(text(DetailKind::copy_shift, 3), "shifted by 48 bytes");
  EXPECT_EQ(text(DetailKind::phase_test, 3), "phase 1 over");
  EXPECT_EQ(text(DetailKind::barrier_bytes, 512), "512 bytes");
  EXPECT_EQ(text(DetailKind::bulk_copy, BulkCopy{.units = 64, .barrier = 0x408}.bits()),
            "1024 bytes for the barrier at 0x408");
  Detail detail;
  detail.set(BlockBarrier{3, 64});
  EXPECT_EQ(detail_text(detail, LaneMask::all()), "barrier 3 of 64 threads");
  auto& lanes = detail.set_lanes(DetailKind::barrier_arrivals);
  lanes[1] = 2;
  lanes[4] = 5;
  EXPECT_EQ(detail_text(detail, LaneMask(0x12)), "lane 1: 2 arrivals, lane 4: 5 arrivals");
}

}  // namespace
}  // namespace sassim::trace
