// SPDX-License-Identifier: Apache-2.0
// What a replacement policy learns of each use, in the L1 and in the L2: line, kind, PC, SM and time.
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "arch/cache/replacement.h"
#include "arch/gpu/gpu.h"
#include "sim/config/loader.h"
#include "tests/support/sass_kernel.h"

namespace sassim::arch::test {
namespace {

struct Seen {
  bool in_l1;
  std::uint64_t number;
  LineUse use;
};
std::vector<Seen> seen;

class Recorder final : public Replacement {
 public:
  explicit Recorder(const CacheShape& shape) : in_l1_(shape.several) {}
  void used(std::size_t, std::uint64_t number, const LineUse& use) override { seen.push_back({in_l1_, number, use}); }
  void filled(std::size_t, std::uint64_t number, const LineUse& use) override { seen.push_back({in_l1_, number, use}); }
  std::uint32_t victim(const SetView& set, std::uint64_t, const LineUse&) override {
    std::uint32_t way = 0;
    while (!set.may_go(way)) ++way;
    return way;
  }

 private:
  bool in_l1_;
};

const Registered<Replacement, Recorder, const CacheShape&> recorder_registered("recorder_of_the_test");

TEST(LineUse, PoliciesOfBothLevelsSeeWhoUsesALineWhatForAndWhen) {
  config::GpuConfig config = config::load_config(SASSIM_SOURCE_DIR "/configs/chips/v100.yaml");
  config.sm.count = 2;
  config.sm.l1.replacement = config.memory.l2.replacement = "recorder_of_the_test";
  SassKernel kernel(
      "MOV R2, 0x0 ;\nB------:R-:W0:-:S02 LDG.E R4, [R2] ;\nB0-----:R-:W0:-:S02 LDG.E R5, [R2] ;\n"
      "B0-----:R-:W-:-:S02 STG.E [R6], R5 ;\nEXIT ;\n");
  kernel.blocks(2);
  kernel.addresses_by_block([](std::uint64_t block, std::uint32_t, std::uint32_t line, std::uint64_t, int lane) {
    return (line == 3 ? 0x20000000 : 0x10000000) + block * 4096 + static_cast<std::uint64_t>(lane) * 4;
  });
  seen.clear();
  Gpu gpu(config);
  const auto source = kernel.source();
  gpu.run(*source, {});

  std::set<std::pair<std::uint16_t, std::uint64_t>> loaded, found;
  std::set<std::uint16_t> asked_l2, stored_l2;
  for (const Seen& s : seen) {
    if (s.in_l1) {
      EXPECT_TRUE(s.use.kind == RequestKind::load || s.use.kind == RequestKind::store);
      EXPECT_GT(s.use.now, 0u);
      if (s.use.pc == 0x10) loaded.insert({s.use.sm.value, s.number});
      if (s.use.pc == 0x20) found.insert({s.use.sm.value, s.number});
    } else if (s.use.now != 0) {  // what a launch leaves there has no cycle
      if (s.use.kind == RequestKind::load && s.use.pc == 0x10) asked_l2.insert(s.use.sm.value);
      if (s.use.kind == RequestKind::store && s.use.pc == 0x30) stored_l2.insert(s.use.sm.value);
    }
  }
  const std::set<std::uint16_t> both = {0, 1};
  ASSERT_EQ(loaded.size(), 2u) << "each SM a line";
  EXPECT_EQ(loaded, found) << "the first load brings what the second finds";
  EXPECT_EQ(loaded.begin()->second + loaded.rbegin()->second, 2 * (0x10000000u / 128) + 4096 / 128);
  EXPECT_EQ(asked_l2, both);
  EXPECT_EQ(stored_l2, both);
}

}  // namespace
}  // namespace sassim::arch::test
