// SPDX-License-Identifier: Apache-2.0
// Microbenchmarks as SASS on one SM of a real configuration.
#pragma once

#include <string>
#include <vector>

#include "arch/gpu/gpu.h"
#include "sim/config/loader.h"
#include "tests/support/sass_kernel.h"

namespace sassim::arch::test {

inline config::GpuConfig one_sm(const std::string& gpu, std::vector<std::string> overrides = {}) {
  overrides.insert(overrides.begin(), {"sm.count=1", "memory.model=fixed", "sm.front_end.perfect=true"});
  return config::load_config(SASSIM_SOURCE_DIR "/configs/chips/" + gpu + ".yaml", overrides);
}

inline int architecture(const config::GpuConfig& config) { return config.arch; }

/// Straight-line code: `line` `count` times.
inline std::string repeated(const std::string& line, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += line;
  return text;
}

using Address = SassKernel::Address;

/// Cycles of the whole kernel: `before`, then `line` `count` times, then `after` and EXIT.
inline KernelResult run_lines(const config::GpuConfig& config, const std::string& before, const std::string& line,
                              int count, const std::string& after, std::uint32_t warps, const Address& address,
                              LaneMask lanes, std::uint32_t shared = 0) {
  SassKernel kernel(before + repeated(line, count) + after + "B0-----:R-:W-:-:S05 EXIT ;\n", config.arch);
  kernel.warps(warps).addresses(address).active([=](std::uint32_t) { return lanes; }).shared(shared);
  Gpu gpu(config);
  const auto source = kernel.source();
  return gpu.run(*source);
}

/// Cycles that one more `line` costs, from two kernels that differ in their number.
inline double cycles_per_line(const config::GpuConfig& config, const std::string& before, const std::string& line,
                              std::uint32_t warps, const Address& address, LaneMask lanes = LaneMask::all(),
                              std::uint32_t shared = 0, int few = 40, int many = 140) {
  const auto cycles = [&](int count) {
    return static_cast<double>(run_lines(config, before, line, count, "", warps, address, lanes, shared).cycles.value);
  };
  return (cycles(many) - cycles(few)) / (many - few);
}

}  // namespace sassim::arch::test
