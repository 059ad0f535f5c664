// SPDX-License-Identifier: Apache-2.0
// Prints SASS line by line with its counts and stalls, for --page source and --csv-source.
#include "sim/report/source_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "sim/base/csv.h"
#include "sim/base/printable.h"
#include "sim/report/cuda_lines.h"
#include "sim/report/terminal.h"
#include "sim/report/waits.h"

namespace sassim::report {

namespace {

/// The columns of the CSV; the table of reasons is in arch, which reports do not know.
constexpr std::array<std::string_view, 18> kReasons = {"selected",
                                                       "not_selected",
                                                       "wait",
                                                       "long_scoreboard",
                                                       "short_scoreboard",
                                                       "lg_throttle",
                                                       "mio_throttle",
                                                       "tex_throttle",
                                                       "math_pipe_throttle",
                                                       "dispatch_stall",
                                                       "barrier",
                                                       "membar",
                                                       "branch_resolving",
                                                       "no_instruction",
                                                       "imc_miss",
                                                       "sleeping",
                                                       "drain",
                                                       "starting"};

double quotient(std::uint64_t a, std::uint64_t b) {
  return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b);
}

/// " for 0090 and 00a0": the PCs of what the line waits for, behind a reason that is another instruction.
std::string awaited_pcs(const std::vector<const LineStalls*>& producers) {
  constexpr std::size_t kMost = 2;
  std::string text;
  for (std::size_t i = 0; i < std::min(producers.size(), kMost); ++i)
    text += fmt::format("{}{:04x}", text.empty() ? " for " : " and ", producers[i]->pc);
  return text + (producers.size() > kMost ? " ..." : "");
}

std::string reasons_text(const LineStalls& line, const Waits& waits) {
  auto sorted = line.stalls;
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (const auto& [reason, cycles] : sorted)
    if (reason != "selected")
      text += fmt::format("{}{} {}{}", text.empty() ? "" : ", ", reason, cycles,
                          awaited_pcs(waits.producers(line, reason)));
  return text;
}

/// "2.0" sectors per request of the L1, or passes of shared memory; "-" for an instruction that is no such access.
std::string per_request(std::uint64_t amount, std::uint64_t requests) {
  return requests == 0 || amount == 0 ? "-" : fmt::format("{:.1f}", quotient(amount, requests));
}

}  // namespace

std::string source_text(const KernelReport& kernel) {
  std::string text = fmt::format("{:<6}{:<21}{:<54}{:>10}{:>8}{:>9}{:>7}{:>10}  {}\n", "pc", "control", "SASS",
                                 "executed", "threads", "sectors", "n-way", "cycles", "cycles by reason");
  CudaSources sources;
  const LineStalls* before = nullptr;
  const Waits waits(kernel);
  for (const LineStalls& line : kernel.lines) {
    const bool same = before != nullptr && before->file == line.file && before->source_line == line.source_line;
    if (!line.file.empty() && !same) {
      const std::string source = sources.text(line);
      text += sources.place(line) + (source.empty() ? "" : "  " + source) + "\n";
      before = &line;
    }
    std::uint64_t cycles = 0;
    for (const auto& [reason, count] : line.stalls) cycles += count;
    text += fmt::format("{:04x}  {:<21}{:<54}{:>10}{:>8.1f}{:>9}{:>7}{:>10}  {}\n", line.pc,
                        line.control.empty() ? "-" : line.control, printable(line.text), line.executed,
                        quotient(line.threads, line.executed), per_request(line.memory.sectors, line.memory.requests),
                        per_request(line.memory.passes, line.memory.ideal_passes), cycles, reasons_text(line, waits));
  }
  const std::string sums = cuda_lines_text(kernel, sources);
  return sums.empty() ? text : text + "\n" + sums;
}

SourceCsv::SourceCsv(const std::string& path) : file_(path) {
  std::string head =
      "kernel,name,pc,sass,control,file,line,executed,threads,requests,sectors,ideal_sectors,passes,ideal_passes,waits_"
      "for";
  for (const std::string_view reason : kReasons) head += fmt::format(",{}", reason);
  file_.write(head + ",slice_blocks\n");
}

void SourceCsv::write_row(const std::string& kernel, const LineStalls& line, std::uint64_t slice_blocks) {
  const LineMemory& m = line.memory;
  std::string text = fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}", count_, csv_cell(printable(kernel)),
                                 line.pc, csv_cell(printable(line.text)), line.control, csv_cell(printable(line.file)),
                                 line.source_line, line.executed, line.threads, m.requests, m.sectors, m.ideal_sectors,
                                 m.passes, m.ideal_passes, fmt::join(line.waits_for, " "));
  for (const std::string_view reason : kReasons) {
    const auto at =
        std::find_if(line.stalls.begin(), line.stalls.end(), [&](const auto& s) { return s.first == reason; });
    text += fmt::format(",{}", at == line.stalls.end() ? 0 : at->second);
  }
  file_.write(text + fmt::format(",{}\n", slice_blocks));
}

void SourceCsv::add(const KernelReport& kernel) {
  for (const LineStalls& line : kernel.lines) write_row(kernel.name, line, kernel.slice_blocks);
  ++count_;
}

void SourceCsv::stopped(const std::string& running, const std::string& partial) {
  LineStalls line;
  line.text = partial;
  write_row(running, line, 0);
}

}  // namespace sassim::report
