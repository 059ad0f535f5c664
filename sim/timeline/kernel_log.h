// SPDX-License-Identifier: Apache-2.0
// The kernels of a run, for the labels of timelines: what ran when, and its code.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "arch/common/counter_series.h"
#include "sim/trace/kernel.h"

namespace sassim::timeline {

struct KernelSpan {
  std::string name;
  std::shared_ptr<const std::vector<std::string>> sass;  ///< by line; launches of one kernel share it
  isa::CodeLayout layout;
  std::uint64_t start = 0, end = 0;
  arch::CountsOverTime counts;
};

class KernelLog {
 public:
  void started(const trace::KernelInfo& kernel, std::uint64_t at);
  void ended(std::uint64_t at, const arch::CountsOverTime& counts);
  const std::vector<KernelSpan>& kernels() const { return kernels_; }
  /// The one that ran at this cycle; null: none did.
  const KernelSpan* at(std::uint64_t cycle) const;
  /// "IADD3 R0, R0, 0x1, RZ"
  std::string sass(std::uint64_t cycle, std::uint32_t line) const;
  std::uint64_t pc(std::uint64_t cycle, std::uint32_t line) const;

  /// Makes the counts coarser until they have at most so many intervals together, or one each.
  void limit_intervals(std::size_t most);

 private:
  std::vector<KernelSpan> kernels_;
  std::map<std::string, std::shared_ptr<const std::vector<std::string>>> code_;  ///< the last of each name
};

}  // namespace sassim::timeline
