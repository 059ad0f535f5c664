// SPDX-License-Identifier: Apache-2.0
// Figure 8 of the T4 report: an aggressor runs through more and more code; a victim, on another processing block or on
// another SM, repeats a sequence of one length. Where the victim slows down, the two share the cache that the aggressor
// fills. (In the report the aggressor also runs the victim's sequence; here its own is timed instead.)
#include <gtest/gtest.h>

#include "tests/micro/sm/whole_gpu.h"

namespace sassim::arch::test {
namespace {

struct Cpi {
  double aggressor, victim;
};

enum class Where { other_block, other_sm };

/// Of passes that begin when both have made one, and end before either has made its last.
double mean_cpi(const std::vector<std::uint64_t>& from, const std::vector<std::uint64_t>& to, std::uint64_t begin,
                std::uint64_t end, std::uint64_t instructions) {
  double sum = 0, passes = 0;
  for (std::size_t i = 0; i < from.size(); ++i)
    if (from[i] >= begin && to[i] <= end) {
      sum += static_cast<double>(to[i] - from[i]);
      ++passes;
    }
  EXPECT_GT(passes, 0);
  return sum / passes / static_cast<double>(instructions - 1);
}

Cpi run_both(const config::GpuConfig& config, std::uint64_t victim, std::uint64_t aggressor, Where where) {
  const std::uint64_t n = isa::CodeLayout().index(victim), m = isa::CodeLayout().index(aggressor);
  // Enough of both for some to overlap, whatever they cost.
  const std::uint64_t passes = 4 + 12 * victim / aggressor, victim_passes = 4 + passes * 4 * aggressor / victim;
  SassKernel kernel("aggressor:\n" + nops(aggressor) + "@P0 BRA aggressor ;\nEXIT ;\nvictim:\n" + nops(victim) +
                        "@P0 BRA victim ;\nidle:\nEXIT ;\n",
                    config.arch);
  kernel.loop("aggressor", passes).loop("victim", victim_passes);
  if (where == Where::other_block)
    kernel.warps(4).entry([](std::uint32_t w) { return w == 0 ? "aggressor" : w == 1 ? "victim" : "idle"; });
  else
    kernel.blocks(2).entry_by_block([](std::uint64_t b, std::uint32_t) { return b == 0 ? "aggressor" : "victim"; });
  const IssueLog log = run_gpu(config, kernel);
  const std::uint64_t block = where == Where::other_sm ? 1 : 0;
  const std::uint32_t warp = where == Where::other_block ? 1 : 0;
  EXPECT_EQ(log.sm_of(0) == log.sm_of(block), where == Where::other_block);
  const std::uint32_t line = kernel.line_of("victim");
  const auto &a_from = log.of(0, 0, 0), &a_to = log.of(0, 0, static_cast<std::uint32_t>(m) - 1);
  const auto &v_from = log.of(block, warp, line), &v_to = log.of(block, warp, line + static_cast<std::uint32_t>(n) - 1);
  const std::uint64_t begin = std::max(a_to[0], v_to[0]), end = std::min(a_to.back(), v_to.back());
  return {mean_cpi(a_from, a_to, begin, end, m), mean_cpi(v_from, v_to, begin, end, n)};
}

config::GpuConfig two_sms(std::vector<std::string> overrides = {}) {
  overrides.insert(overrides.begin(), "sm.count=2");
  return load("t4", overrides);
}

constexpr double kUnaffected = 1.05;

/// A victim of three quarters of the L1, beside an aggressor with little code and with three times the L1's.
std::pair<Cpi, Cpi> around_the_l1(Where where) {
  const config::GpuConfig config = two_sms();
  const std::uint64_t l1 = config.sm.front_end.l1.size, victim = l1 * 3 / 4 / 128 * 128;
  const auto both = std::pair(run_both(config, victim, 1024, where), run_both(config, victim, 3 * l1, where));
  EXPECT_GT(both.second.aggressor, 1.3 * both.first.aggressor);
  return both;
}

TEST(InstructionSharing, EachProcessingBlockHasItsOwnL0) {
  const config::GpuConfig config = two_sms();
  const std::uint64_t l0 = config.sm.front_end.l0.size, victim = l0 * 3 / 4;
  const Cpi calm = run_both(config, victim, l0 / 2, Where::other_block);
  const Cpi cpi = run_both(config, victim, 3 * l0 / 2, Where::other_block);
  EXPECT_GT(cpi.aggressor, 1.3 * calm.aggressor);
  EXPECT_LT(cpi.victim, kUnaffected * calm.victim);
}

TEST(InstructionSharing, ProcessingBlocksShareTheL1) {
  const auto [calm, cpi] = around_the_l1(Where::other_block);
  EXPECT_GT(cpi.victim, 1.2 * calm.victim);
}

TEST(InstructionSharing, EachSmHasItsOwnL1) {
  const auto [calm, cpi] = around_the_l1(Where::other_sm);
  EXPECT_LT(cpi.victim, kUnaffected * calm.victim);
}

// With a smaller L2, to save time.
TEST(InstructionSharing, SmsShareTheL2) {
  const config::GpuConfig config = two_sms({"memory.l2.size=128KiB", "memory.l2.slices=8"});
  const std::uint64_t l2 = config.memory.l2.size, victim = l2 * 3 / 4;
  const Cpi calm = run_both(config, victim, 16384, Where::other_sm);
  const Cpi cpi = run_both(config, victim, 3 * l2, Where::other_sm);
  EXPECT_GT(cpi.aggressor, 1.3 * calm.aggressor);
  EXPECT_GT(cpi.victim, 1.2 * calm.victim);
}

}  // namespace
}  // namespace sassim::arch::test
