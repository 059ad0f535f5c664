// SPDX-License-Identifier: Apache-2.0
// A worked example: how to add a replacement policy that knows which instruction brought a line. The class below and
// the line that registers it are all that a new file of arch/cache/replacement/ needs; YAML then names it
// (`sm.l1.replacement`, `memory.l2.replacement`).
#include <gtest/gtest.h>

#include <algorithm>
#include <unordered_map>

#include "arch/cache/replacement.h"
#include "sim/base/state_archive.h"
#include "tests/support/test_gpu.h"

namespace sassim::arch::test {
namespace {

/// Signature-based hit prediction (SHiP, Wu et al., MICRO 2011) with the PC as the signature: lines of an instruction
/// whose lines were not used again before they went are expected not to be used again, and go first.
class Ship final : public Replacement {
 public:
  explicit Ship(const CacheShape& shape) : lines_(shape.slots()) {}

  void used(std::size_t slot, std::uint64_t, const LineUse&) override {
    Line& line = lines_[slot];
    line.distance = 0;
    line.used_again = true;
    std::uint32_t& count = counts_.try_emplace(line.pc, 1).first->second;
    count = std::min(count + 1, 3u);
  }
  void filled(std::size_t slot, std::uint64_t, const LineUse& use) override {
    Line& line = lines_[slot];
    if (line.held && !line.used_again) {
      std::uint32_t& count = counts_.try_emplace(line.pc, 1).first->second;
      count -= std::min(count, 1u);
    }
    line = {
        .held = true, .pc = use.pc, .distance = counts_.try_emplace(use.pc, 1).first->second == 0 ? kFar : kFar - 1};
  }
  std::uint32_t victim(const SetView& set, std::uint64_t, const LineUse&) override {
    for (;;) {
      for (std::uint32_t way = 0; way < set.ways; ++way)
        if (set.may_go(way) && lines_[set.first + way].distance == kFar) return way;
      for (std::uint32_t way = 0; way < set.ways; ++way)
        lines_[set.first + way].distance = std::min(lines_[set.first + way].distance + 1, kFar);
    }
  }
  // for checkpoints
  void save(StateWriter& writer) const override { writer(*this); }
  void load(StateReader& reader) override { reader(*this); }
  template <class Archive>
  void state(Archive& archive) {
    archive(lines_, counts_);
  }

 private:
  static constexpr std::uint32_t kFar = 3;  ///< the next use is expected to be far away
  struct Line {
    bool held = false, used_again = false;
    std::uint32_t pc = 0, distance = kFar;
  };
  std::vector<Line> lines_;
  std::unordered_map<std::uint32_t, std::uint32_t> counts_;  ///< by PC: how often its lines are used again
};

const Registered<Replacement, Ship, const CacheShape&> ship_registered("ship_of_the_test");

/// Of 200 loads that go round eight lines, those that hit an L1 of 32 lines through which seven other loads stream.
std::uint64_t hits_beside_a_stream(const std::string& policy) {
  std::string text = "MOV R0, 0x0 ;\nloop:\nB0-----:R-:W0:-:S02 LDG.E R4, [R2] ;\n";
  for (int i = 0; i < 7; ++i) text += "B0-----:R-:W0:-:S02 LDG.E R8, [R6] ;\n";
  text += "B0-----:R-:W-:-:S04 IADD3 R0, R0, 0x1, RZ ;\nB------:R-:W-:-:S05 @P0 BRA loop ;\nEXIT ;\n";
  SassKernel kernel(text);
  kernel.loop("loop", 200);
  kernel.addresses([](std::uint32_t, std::uint32_t line, std::uint64_t execution, int) {
    const std::uint64_t stream = 0x20000000 + ((execution * 7 + line) << 7);
    return line == 1 ? 0x10000000 + (execution % 8 << 7) : stream;
  });
  config::GpuConfig config = volta();
  config.sm.l1.size = 32 * 128;
  config.sm.l1.detected_loss = 0;
  config.sm.l1.replacement = policy;
  config.sm.occupancy.carveouts = {};
  return static_cast<std::uint64_t>(
      run_sm_with_memory(config, kernel).metrics["l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"]);
}

TEST(PcAwarePolicy, KeepsWhatOneInstructionUsesAgainFromAnothersStream) {
  EXPECT_EQ(hits_beside_a_stream("lru"), 0u);
  const std::uint64_t hits = hits_beside_a_stream("ship_of_the_test");
  EXPECT_GE(hits, 180u) << "all but the first rounds";
  EXPECT_LE(hits, 192u) << "each of the eight lines came once";
}

}  // namespace
}  // namespace sassim::arch::test
