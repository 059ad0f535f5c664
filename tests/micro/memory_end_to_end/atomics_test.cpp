// SPDX-License-Identifier: Apache-2.0
// Global atomics under contention, as the reports time them: a reduction and a load of the same place behind it, less
// the load alone.
#include <gtest/gtest.h>

#include "arch/network/slice_map.h"
#include "tests/micro/memory_end_to_end/chase.h"

namespace sassim::arch::test {
namespace {

constexpr std::uint64_t kPlace = 0x20000000;

/// Cycles of one more round of `body`, in which lanes address the word that `word` says.
double round_cycles(const config::GpuConfig& config, const std::string& body, LaneMask lanes,
                    const std::function<std::uint64_t(int lane)>& word) {
  const auto cycles = [&](std::uint64_t rounds) {
    SassKernel kernel("loop:\n" + body + "B------:R-:W-:-:S05 @P0 BRA loop ;\nB01----:R-:W-:-:S05 EXIT ;\n",
                      config.arch);
    kernel.loop("loop", rounds).active([=](std::uint32_t) { return lanes; });
    kernel.addresses([&](std::uint32_t, std::uint32_t, std::uint64_t, int lane) { return kPlace + word(lane) * 4; });
    const auto source = kernel.source();
    Gpu gpu(config);
    return static_cast<double>(gpu.run(*source).cycles.value);
  };
  return (cycles(24) - cycles(8)) / 16;
}

constexpr const char* kLoad = "B0-----:R-:W0:-:S02 LDG.E.STRONG.GPU R8, [R2.64] ;\n";
constexpr const char* kReduce = "B0-----:R-:W-:-:S02 RED.E.ADD.STRONG.GPU [R2.64], R8 ;\n";
constexpr const char* kLoadBehind = "B------:R-:W0:-:S02 LDG.E.STRONG.GPU R8, [R2.64] ;\n";
constexpr const char* kAtomic = "B0-----:R-:W0:-:S02 ATOMG.E.ADD.STRONG.GPU PT, R8, [R2.64], R8 ;\n";

double behind_a_reduction(const config::GpuConfig& config, LaneMask lanes,
                          const std::function<std::uint64_t(int)>& word) {
  return round_cycles(config, std::string(kReduce) + kLoadBehind, lanes, word) -
         round_cycles(config, kLoad, lanes, word);
}

TEST(EndToEndAtomics, UnderContentionOnT4AndV100) {
  const double t4[] = {76, 72, 73, 81, 97, 116}, v100[] = {36, 31, 32, 41, 58, 76};
  for (int i = 0; i < 6; ++i) {
    const auto word = [=](int lane) { return static_cast<std::uint64_t>(lane >> i); };
    EXPECT_NEAR(behind_a_reduction(two_sms("t4"), LaneMask::all(), word), t4[i], 0.1 * t4[i])
        << "T4 report table 7, " << i;
    EXPECT_NEAR(behind_a_reduction(two_sms("v100"), LaneMask::all(), word), v100[i], 0.1 * v100[i])
        << "T4 report table 7, " << i;
  }
}

// validation/measured/h200.json.xz, atomic.global.*: n lanes on one word. Those with result are its means over both
// halves, less half of the 193 cycles that lie between them (h200/l1.md#load-latencies).
TEST(EndToEndAtomics, UnderContentionOnAnH200) {
  const double behind[] = {21, 22.2, 24.1, 31.5, 43.4, 66.9}, dependent[] = {297, 301, 308, 316, 336, 372};
  config::GpuConfig h200 = two_sms("h200");
  // A word at home in the half of the first SM, and its slice at the mean distance.
  const SliceMap map(h200.memory);
  std::uint64_t home = 0;
  while (map.place(kPlace + home * 4).slice.value >= map.slices() / 2) home += 32;
  const auto word = [=](int) { return home; };
  config::CrossbarConfig& crossbar = h200.memory.crossbar;
  crossbar.request_latency += crossbar.spread / 2;
  crossbar.reply_latency += crossbar.spread / 2;
  crossbar.spread = 0;
  for (int i = 0; i < 6; ++i) {
    const LaneMask lanes{static_cast<std::uint32_t>((std::uint64_t{1} << (1 << i)) - 1)};
    EXPECT_NEAR(behind_a_reduction(h200, lanes, word), behind[i], 0.1 * behind[i]) << i;
    // Known gap: on the GPU an SM sends an atomic with a result every two cycles, here every cycle; no program moves by
    // it.
    EXPECT_NEAR(round_cycles(h200, kAtomic, lanes, word), dependent[i], 0.12 * dependent[i]) << i;
  }
}

}  // namespace
}  // namespace sassim::arch::test
