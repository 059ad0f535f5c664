// SPDX-License-Identifier: Apache-2.0
// Keeps names, SASS and times of kernels that ran, with which timelines label their spans.
#include "sim/timeline/kernel_log.h"

#include <algorithm>

#include "sim/base/printable.h"

namespace sassim::timeline {

namespace {

std::shared_ptr<const std::vector<std::string>> texts(const trace::KernelInfo& kernel) {
  auto all = std::make_shared<std::vector<std::string>>();
  for (const isa::Instruction& instruction : kernel.code) all->push_back(printable(instruction.text()));
  return all;
}

bool same_code(const std::vector<std::string>* known, const trace::KernelInfo& kernel) {
  if (known == nullptr || known->size() != kernel.code.size()) return false;
  for (std::size_t i = 0; i < known->size(); ++i)
    if ((*known)[i] != printable(kernel.code[i].text())) return false;
  return true;
}

}  // namespace

void KernelLog::started(const trace::KernelInfo& kernel, std::uint64_t at) {
  KernelSpan& span = kernels_.emplace_back();
  span.name = printable(kernel.name);
  span.layout = kernel.layout();
  span.start = span.end = at;
  auto& code = code_[span.name];
  if (!same_code(code.get(), kernel)) code = texts(kernel);
  span.sass = code;
}

void KernelLog::ended(std::uint64_t at, const arch::CountsOverTime& counts) {
  kernels_.back().end = at;
  kernels_.back().counts = counts;
}

const KernelSpan* KernelLog::at(std::uint64_t cycle) const {
  const auto after = std::upper_bound(kernels_.begin(), kernels_.end(), cycle,
                                      [](std::uint64_t at, const KernelSpan& kernel) { return at < kernel.start; });
  return after == kernels_.begin() ? nullptr : &*(after - 1);
}

std::string KernelLog::sass(std::uint64_t cycle, std::uint32_t line) const {
  const KernelSpan* kernel = at(cycle);
  return kernel != nullptr && line < kernel->sass->size() ? (*kernel->sass)[line] : "";
}

std::uint64_t KernelLog::pc(std::uint64_t cycle, std::uint32_t line) const {
  const KernelSpan* kernel = at(cycle);
  return kernel != nullptr ? kernel->layout.pc(line) : 0;
}

void KernelLog::limit_intervals(std::size_t most) {
  for (;;) {
    std::size_t count = 0;
    for (const KernelSpan& kernel : kernels_) count += kernel.counts.intervals.size();
    if (count <= most) return;
    bool merged = false;
    for (KernelSpan& kernel : kernels_) {
      auto& all = kernel.counts.intervals;
      if (all.size() < 2) continue;
      arch::merge_neighbours(kernel.counts);
      merged = true;
    }
    if (!merged) return;
  }
}

}  // namespace sassim::timeline
