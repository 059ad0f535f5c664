// SPDX-License-Identifier: Apache-2.0
// Who waits for a slice's data array: hits and what is written. A miss takes the tags' cycle only, and what it brings
// takes the array beside further lookups.
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "arch/memory/l2_slice.h"
#include "sim/config/gpu_config.h"

namespace sassim::arch {
namespace {

class Below final : public L2Slice::Links {
 public:
  void reply(SliceId, const MemRequest& request, L2Cycle time) override {
    if (request.tag < 64) replied[request.tag] = time.value;
  }
  void credit(const MemRequest&, L2Cycle) override {}
  void fetch(SliceId, const SliceRequest&, std::uint16_t, std::uint32_t pending, L2Cycle time) override {
    fetched.push_back(time.value);
    pendings.push_back(pending);
  }
  void write_back(SliceId, LineAddress, std::uint16_t, L2Cycle) override {}
  bool can_write_back(SliceId) const override { return true; }
  void pass_on(SliceId, const SliceRequest&, L2Cycle) override {}
  void invalidate_copy(SliceId, const SliceRequest&, L2Cycle) override {}
  std::vector<std::uint64_t> fetched, replied = std::vector<std::uint64_t>(64);
  std::vector<std::uint32_t> pendings;
};

constexpr std::uint64_t kPasses = 4;  ///< cycles of the array for a line

class DataArray : public ::testing::Test {
 protected:
  DataArray() {
    l2.slices = 1;
    l2.ways = 16;
    l2.size = 16 * 128;
    l2.fetch = 128;
    l2.bytes_per_cycle = 128 / kPasses;
    crossbar.slice_request_bytes_per_cycle = crossbar.slice_reply_bytes_per_cycle = 4096;
    slice.emplace(memory, SliceId(0), links);
  }
  void load(std::uint64_t line, std::uint64_t now) {
    SliceRequest r;
    r.request.kind = RequestKind::load;
    r.request.tag = static_cast<std::uint32_t>(line);
    r.request.sectors = 15;
    r.line = LineAddress(line);
    r.sectors = 15;
    slice->arrive(r, L2Cycle(now));
  }
  void run() {
    while (slice->next_event() != kNeverL2) slice->work(slice->next_event());
  }
  config::Memory memory;
  config::L2Config& l2 = memory.l2;
  config::CrossbarConfig& crossbar = memory.crossbar;
  Below links;
  std::optional<L2Slice> slice;
};

TEST_F(DataArray, MissesTakeACycleOfTheTagsEach) {
  for (std::uint64_t line = 0; line < 4; ++line) load(line, 100);
  run();
  for (std::uint64_t i = 1; i < 4; ++i) EXPECT_EQ(links.fetched[i], links.fetched[0] + i);
}

TEST_F(DataArray, WhatComesFromBelowKeepsHitsWaitingAndNoMisses) {
  load(0, 0), load(1, 0);
  run();
  slice->filled(links.pendings[0], 15, L2Cycle(1000));
  load(0, 2000);
  run();
  const std::uint64_t alone = links.replied[0] - 2000;
  slice->filled(links.pendings[1], 15, L2Cycle(3000));
  load(2, 3000), load(0, 3000);
  run();
  EXPECT_LE(links.fetched[2], 3001u);
  EXPECT_EQ(links.replied[0] - 3000, alone + kPasses - 1) << "of which one goes by on the way in";
}

TEST_F(DataArray, HitsWaitForEachOther) {
  load(0, 0), load(1, 0);
  run();
  slice->filled(links.pendings[0], 15, L2Cycle(1000));
  slice->filled(links.pendings[1], 15, L2Cycle(1000));
  load(0, 2000), load(1, 2000);
  run();
  EXPECT_EQ(links.replied[1], links.replied[0] + kPasses);
}

}  // namespace
}  // namespace sassim::arch
