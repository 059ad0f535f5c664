// SPDX-License-Identifier: Apache-2.0
#include "sim/study/kernel_report.h"

#include <fmt/format.h>

#include "arch/sm/issue/stall_reason.h"
#include "sim/config/dump.h"

namespace sassim::study {

namespace {

report::LineStalls line_report(const isa::Instruction& instruction, const arch::LineStalls& counted) {
  report::LineStalls line;
  line.pc = instruction.pc;
  line.text = instruction.text();
  line.executed = counted.cycles[arch::index(arch::StallReason::selected)];
  for (std::size_t r = 0; r < arch::kStallReasons; ++r)
    if (counted.cycles[r])
      line.stalls.emplace_back(arch::stall_name(static_cast<arch::StallReason>(r)), counted.cycles[r]);
  return line;
}

}  // namespace

std::string made_on(const config::GpuConfig& config) {
  return fmt::format("{} {}", config::shown_name(config), config::config_hash(config));
}

report::KernelReport kernel_report(const trace::BlockSource& source, const arch::KernelResult& result) {
  const trace::KernelInfo& kernel = source.kernel();
  report::KernelReport report;
  report.name = kernel.name;
  report.grid = kernel.grid;
  report.block = kernel.block;
  report.trace_hash = source.hash();
  report.metrics = result.metrics;
  report.warp_instructions = result.warp_instructions;
  report.dependence_mode = result.scoreboard ? "scoreboard" : "control_bits";
  if (!kernel.has_encodings) report.notes.emplace_back(kNoControlBits);
  for (std::size_t i = 0; i < result.lines.size() && i < kernel.code.size(); ++i) {
    report::LineStalls line = line_report(kernel.code[i], result.lines[i]);
    if (line.executed || !line.stalls.empty()) report.lines.push_back(std::move(line));
  }
  return report;
}

}  // namespace sassim::study
