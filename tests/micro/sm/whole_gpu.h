// SPDX-License-Identifier: Apache-2.0
// A kernel on the whole GPU, with the issue cycles of its warps kept.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "arch/gpu/gpu.h"
#include "sim/config/loader.h"
#include "tests/support/sass_kernel.h"

namespace sassim::arch::test {

inline config::GpuConfig load(const std::string& name, const std::vector<std::string>& overrides = {}) {
  return config::load_config(SASSIM_SOURCE_DIR "/configs/chips/" + name + ".yaml", overrides);
}

inline std::string nops(std::uint64_t bytes) {
  std::string text;
  for (std::uint64_t i = 0; i < isa::CodeLayout().index(bytes); ++i) text += "NOP ;\n";
  return text;
}

class IssueLog final : public PipelineObserver {
 public:
  void issued(const WarpName& warp, std::uint32_t line, Cycle issue, Cycle) override {
    cycles_[{warp.block.value, warp.warp, line}].push_back(issue.value);
    sms_[warp.block.value] = warp.sm;
  }
  /// When a warp issued a line, in order.
  const std::vector<std::uint64_t>& of(std::uint64_t block, std::uint32_t warp, std::uint32_t line) const {
    return cycles_.at({block, warp, line});
  }
  SmId sm_of(std::uint64_t block) const { return sms_.at(block); }
  void clear() { cycles_.clear(); }

 private:
  struct Place {
    std::uint64_t block;
    std::uint32_t warp, line;
    auto operator<=>(const Place&) const = default;
  };
  std::map<Place, std::vector<std::uint64_t>> cycles_;
  std::map<std::uint64_t, SmId> sms_;
};

/// The last of `runs` launches, L2 and DRAM kept between them.
inline IssueLog run_gpu(const config::GpuConfig& config, const SassKernel& kernel, int runs = 1) {
  IssueLog log;
  Gpu gpu(config);
  RunOptions options;
  options.pipeline = &log;
  options.caches = CacheStart::keep;
  const auto source = kernel.source();
  for (int i = 0; i < runs; ++i) {
    log.clear();
    gpu.run(*source, options);
  }
  return log;
}

}  // namespace sassim::arch::test
