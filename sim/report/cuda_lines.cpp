// SPDX-License-Identifier: Apache-2.0
// Adds up what each line of CUDA source cost, and reads its text from the source file.
#include "sim/report/cuda_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <set>
#include <system_error>

#include "sim/base/printable.h"

namespace sassim::report {

namespace {

/// A trace may name any file: only sources of programs are read.
bool is_source(const std::filesystem::path& file) {
  constexpr std::array kSuffixes = {".cu", ".cuh", ".cpp", ".cc", ".cxx", ".c", ".h", ".hpp", ".hh", ".hxx", ".inl"};
  constexpr std::uintmax_t kLargest = 16u << 20;
  std::error_code error;
  return std::find(kSuffixes.begin(), kSuffixes.end(), file.extension()) != kSuffixes.end() &&
         std::filesystem::is_regular_file(file, error) && std::filesystem::file_size(file, error) <= kLargest;
}

std::string trimmed(const std::string& text) {
  constexpr const char* kSpace = " \t\r";
  const std::size_t first = text.find_first_not_of(kSpace);
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(kSpace) + 1 - first);
}

}  // namespace

const std::vector<std::string>& CudaSources::lines_of(const std::string& file) {
  const auto [found, added] = files_.try_emplace(file);
  if (!added || !is_source(file)) return found->second;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) found->second.push_back(trimmed(line));
  return found->second;
}

std::string CudaSources::place(const LineStalls& line) const {
  return fmt::format("{}:{}", printable(std::filesystem::path(line.file).filename().string()), line.source_line);
}

std::string CudaSources::text(const LineStalls& line) {
  const std::vector<std::string>& lines = lines_of(line.file);
  return line.source_line == 0 || line.source_line > lines.size() ? "" : printable(lines[line.source_line - 1]);
}

std::vector<CudaLine> cuda_lines(const KernelReport& kernel) {
  std::map<std::pair<std::string, std::uint32_t>, CudaLine> sums;
  for (const LineStalls& line : kernel.lines) {
    if (line.file.empty()) continue;
    CudaLine& sum = sums[{line.file, line.source_line}];
    if (sum.first == nullptr) sum.first = &line;
    sum.executed += line.executed;
    for (const auto& [reason, cycles] : line.stalls) sum.cycles += cycles;
  }
  std::vector<CudaLine> all;
  for (const auto& [place, sum] : sums) all.push_back(sum);
  std::stable_sort(all.begin(), all.end(), [](const CudaLine& a, const CudaLine& b) { return a.cycles > b.cycles; });
  return all;
}

std::string cuda_lines_text(const KernelReport& kernel, CudaSources& sources) {
  const std::vector<CudaLine> lines = cuda_lines(kernel);
  if (lines.empty()) return "";
  std::uint64_t total = 0;
  for (const LineStalls& line : kernel.lines)
    for (const auto& [reason, cycles] : line.stalls) total += cycles;
  std::set<std::string> files;
  std::string text = fmt::format("{:>12}{:>9}{:>12}  CUDA line\n", "cycles", "share", "executed");
  for (const CudaLine& line : lines) {
    files.insert(line.first->file);
    const double share = total == 0 ? 0 : 100 * static_cast<double>(line.cycles) / static_cast<double>(total);
    text += fmt::format("{:>12}{:>7.1f} %{:>12}  {}  {}\n", line.cycles, share, line.executed,
                        sources.place(*line.first), sources.text(*line.first));
  }
  for (const std::string& file : files) text += fmt::format("  {}\n", printable(file));
  return text;
}

}  // namespace sassim::report
