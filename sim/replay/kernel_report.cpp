// SPDX-License-Identifier: Apache-2.0
// Translates what the timing model counted to a kernel's report.
#include "sim/replay/kernel_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "arch/sm/common/resource.h"
#include "arch/sm/common/stall_reason.h"
#include "sim/config/dump.h"
#include "sim/config/gpu_config.h"
#include "sim/isa/assembly.h"
#include "sim/replay/awaited_lines.h"

namespace sassim::replay {

namespace {

report::LineStalls line_report(const trace::KernelInfo& kernel, std::size_t at, const arch::LineStalls& counted,
                               const AwaitedLines& awaited, const config::Pipes& pipes) {
  const isa::Instruction& instruction = kernel.code[at];
  report::LineStalls line;
  line.pc = instruction.pc;
  line.text = instruction.text();
  line.executed = counted.issued();
  line.threads = counted.threads;
  const arch::LineTraffic& t = counted.traffic;
  line.memory = {t.requests, t.sectors, t.ideal_sectors, t.passes, t.ideal_passes};
  if (kernel.has_encodings) line.control = isa::control_text(instruction.control);
  line.waits_for = awaited.of(at);
  if (isa::find_opcode(instruction.opcode, isa::architecture(kernel.sm).set) != nullptr) {
    const isa::OpClass op = isa::decode(instruction, kernel.sm).op;
    line.op = isa::op_class_name(op);
    const std::string& pipe = pipes.ops[static_cast<std::size_t>(op)].pipe;
    const bool in_block = std::any_of(arch::kPipesByName.begin(), arch::kPipesByName.end(),
                                      [&](const arch::PipeByName& one) { return one.name == pipe; });
    line.pipe = in_block ? pipe : "memory";  // whichever unit of the SM it goes to
  }
  for (std::size_t r = 0; r < arch::kStallReasons; ++r)
    if (counted.cycles[r])
      line.stalls.emplace_back(arch::stall_name(static_cast<arch::StallReason>(r)), counted.cycles[r]);
  return line;
}

report::SeriesReport series_report(const arch::CountsOverTime& counts) {
  report::SeriesReport series;
  series.interval = counts.interval;
  for (std::size_t i = 0; i < counts.counters.size(); ++i) {
    auto& values = series.counters.emplace_back(counts.counters[i].row().name, std::vector<std::uint64_t>{}).second;
    for (const auto& interval : counts.intervals) values.push_back(interval[i]);
  }
  return series;
}

}  // namespace

std::string made_on(const config::GpuConfig& config) {
  return fmt::format("{} {}", config::shown_name(config), config::config_hash(config));
}

bool is_slice(const trace::BlockSource& source) { return source.block_count() != source.kernel().grid.count(); }

std::string slice_note(const trace::BlockSource& source) {
  return fmt::format("a slice of the launch: {} of its {} thread blocks; every number is of the slice",
                     source.block_count(), source.kernel().grid.count());
}

std::string sampled_note(const report::SampledReport& sampled, std::uint64_t blocks) {
  if (!sampled.whole.empty()) return fmt::format("not sampled, simulated whole: {}", sampled.whole);
  return fmt::format(
      "sampled: {} of {} thread blocks were timed, at {} {} of the grid; its cycles are known to +-{:.2f} % (95 % "
      "interval), its instructions exactly, and other counts are scaled",
      sampled.blocks, blocks, sampled.places, sampled.places == 1 ? "place" : "places", sampled.interval_pct);
}

std::string beside_note(std::uint64_t kernels) {
  return fmt::format(
      "it ran side by side with other kernels (a group of {}): caches, DRAM and pipes counted for all of them "
      "together, so "
      "it has no such metrics of its own; 'sassim exec --serial' runs it alone, with all metrics",
      kernels);
}

report::KernelReport kernel_report(const trace::BlockSource& source, const arch::KernelResult& result,
                                   const config::GpuConfig& config) {
  const trace::KernelInfo& kernel = source.kernel();
  report::KernelReport report;
  report.name = kernel.name;
  report.grid = kernel.grid;
  report.block = kernel.block;
  report.trace_hash = source.hash();
  report.metrics = result.metrics;
  report.warp_instructions = result.warp_instructions;
  report.reused = result.reused;
  report.dependence_mode = result.scoreboard ? "scoreboard" : "control_bits";
  if (!kernel.has_encodings) report.notes.emplace_back(kNoControlBits);
  if (result.beside.launches != 0) {
    report.beside = {0, result.beside.launches, result.beside.ready.value, result.beside.end.value};
    report.notes.push_back(beside_note(result.beside.launches));
  }
  if (is_slice(source)) {
    report.slice_blocks = source.block_count();
    report.notes.push_back(slice_note(source));
  }
  if (const auto& how = result.sampling) {
    report.sampled = {how->whole, how->blocks, how->places, 100 * how->half_interval};
    report.notes.push_back(sampled_note(*report.sampled, source.block_count()));
  }
  const AwaitedLines awaited(kernel, result.scoreboard);
  for (std::size_t i = 0; i < result.lines.size() && i < kernel.code.size(); ++i) {
    const auto& line = result.lines[i];
    const auto idle = [](std::uint64_t count) { return count == 0; };
    if (line.second == 0 && std::all_of(line.cycles.begin(), line.cycles.end(), idle)) continue;
    report.lines.push_back(line_report(kernel, i, line, awaited, config.sm.pipes));
  }
  if (!result.series.intervals.empty()) report.series = series_report(result.series);
  return report;
}

}  // namespace sassim::replay
