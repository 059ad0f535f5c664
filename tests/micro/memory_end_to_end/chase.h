// SPDX-License-Identifier: Apache-2.0
// Dependent loads of one lane through the whole GPU, as the pointer chases of the reports time them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "arch/gpu/gpu.h"
#include "sim/config/loader.h"
#include "tests/support/sass_kernel.h"

namespace sassim::arch::test {

constexpr std::uint64_t kKiB = 1024, kMiB = 1024 * kKiB, kGiB = 1024 * kMiB;

inline config::GpuConfig gpu_config(const std::string& name, const std::vector<std::string>& overrides = {}) {
  return config::load_config(SASSIM_SOURCE_DIR "/configs/chips/" + name + ".yaml", overrides);
}
/// All of its memory system, but only two SMs (each half has one, if there are halves): one chases, and time is saved.
inline config::GpuConfig two_sms(const std::string& name, std::vector<std::string> overrides = {}) {
  overrides.insert(overrides.begin(), "sm.count=2");
  return gpu_config(name, overrides);
}

enum class Through { l1, l2 };  ///< the nearest cache that may hold the data

/// Cycles of each load: from its issue to the issue of the one that needs its result.
inline std::vector<std::uint64_t> chase(const config::GpuConfig& config, std::uint64_t loads, Through through,
                                        std::function<std::uint64_t(std::uint64_t)> address,
                                        LaneMask lanes = LaneMask{1}) {
  const std::string load = through == Through::l1 ? "LDG.E R2, [R2.64] ;\n" : "LDG.E.STRONG.GPU R2, [R2.64] ;\n";
  SassKernel kernel("loop:\nB0-----:R-:W0:-:S02 " + load +
                        "B------:R-:W-:-:S05 @P0 BRA loop ;\n"
                        "B0-----:R-:W-:-:S05 EXIT ;\n",
                    config.arch);
  kernel.loop("loop", loads + 1).active([=](std::uint32_t) { return lanes; });
  kernel.addresses([&](std::uint32_t, std::uint32_t, std::uint64_t i, int lane) {
    return address(i) + static_cast<std::uint64_t>(lane) * 4;
  });
  struct Issues final : PipelineObserver {
    std::vector<std::uint64_t> cycles;
    void issued(const WarpName&, std::uint32_t line, Cycle issue, Cycle) override {
      if (line == 0) cycles.push_back(issue.value);
    }
  } issues;
  Gpu gpu(config);
  RunOptions options;
  options.pipeline = &issues;
  const auto source = kernel.source();
  gpu.run(*source, options);
  for (std::uint64_t i = 0; i < loads; ++i) issues.cycles[i] = issues.cycles[i + 1] - issues.cycles[i];
  issues.cycles.resize(loads);
  return std::move(issues.cycles);
}

inline double mean(const std::vector<std::uint64_t>& values, std::size_t from = 0) {
  return std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(from), values.end(), 0.0) /
         static_cast<double>(values.size() - from);
}

/// The value that a part `fraction` of all lies below.
inline double percentile(std::vector<std::uint64_t> values, double fraction) {
  std::sort(values.begin(), values.end());
  return static_cast<double>(values[static_cast<std::size_t>(fraction * static_cast<double>(values.size() - 1))]);
}

/// The mean of the last of several passes over `count` places, `stride` apart, in one random order.
inline double chase_ring(const config::GpuConfig& config, Through through, std::uint64_t count, std::uint64_t stride,
                         std::uint64_t passes = 2) {
  std::vector<std::uint64_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(1));
  const auto all =
      chase(config, count * passes, through, [&](std::uint64_t i) { return 0x20000000 + order[i % count] * stride; });
  return mean(all, count * (passes - 1));
}

}  // namespace sassim::arch::test
