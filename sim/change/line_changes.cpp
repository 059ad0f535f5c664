// SPDX-License-Identifier: Apache-2.0
// Aligns the SASS of a kernel's two versions for `sassim compare`, and compares lost cycles.
#include "sim/change/line_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>

namespace sassim::change {

namespace {

constexpr std::size_t kMostPairs = 4'000'000;

/// Cycles in which warps waited at the line; those in which they issued it are no loss.
double lost(const report::LineStalls& line) {
  double cycles = 0;
  for (const auto& [reason, count] : line.stalls)
    if (reason != "selected") cycles += static_cast<double>(count);
  return cycles;
}

std::vector<std::string> opcodes(const report::KernelReport& kernel) {
  std::vector<std::string> all;
  all.reserve(kernel.lines.size());
  for (const report::LineStalls& line : kernel.lines) {
    // A guard is no part of the opcode: "@!P0 BRA 0x90".
    const std::size_t start = line.text.starts_with('@') ? line.text.find(' ') + 1 : 0;
    all.push_back(line.text.substr(start, line.text.find(' ', start) - start));
  }
  return all;
}

std::string pc_text(const report::LineStalls& line) { return fmt::format("{:04x}", line.pc); }

std::string source_of(const report::LineStalls& line) {
  if (line.file.empty()) return {};
  return fmt::format("{}:{}", line.file.substr(line.file.rfind('/') + 1), line.source_line);
}

void largest_first(std::vector<LineChange>& lines) {
  std::erase_if(lines, [](const LineChange& line) { return line.before == line.after; });
  std::stable_sort(lines.begin(), lines.end(), [](const LineChange& a, const LineChange& b) {
    return std::abs(a.after - a.before) > std::abs(b.after - b.before);
  });
}

/// Instructions that both versions have belong to the line of the version before; those of the new version alone to
/// lines of their own, unless their line is known.
class SourceLines {
 public:
  void add(const report::LineStalls* before, const report::LineStalls* after) {
    const std::string old_place = before != nullptr ? source_of(*before) : std::string();
    const std::string new_place = after != nullptr ? source_of(*after) : std::string();
    unknown_ = unknown_ || (old_place.empty() && new_place.empty());
    if (before != nullptr && after != nullptr) moved_.try_emplace(new_place, old_place);
    const auto known = moved_.find(new_place);
    const std::string key = before != nullptr ? old_place : known != moved_.end() ? known->second : "+" + new_place;
    LineChange& line = lines_[key];
    if (before != nullptr) line.before_place = old_place;
    if (after != nullptr) line.after_place = new_place;
    line.before += before != nullptr ? lost(*before) : 0;
    line.after += after != nullptr ? lost(*after) : 0;
  }
  std::vector<LineChange> take() {
    std::vector<LineChange> all;
    if (unknown_) return all;
    for (auto& [key, line] : lines_) all.push_back(std::move(line));
    largest_first(all);
    return all;
  }

 private:
  std::map<std::string, LineChange> lines_;
  std::map<std::string, std::string> moved_;  ///< place in the new version -> place before
  bool unknown_ = false;
};

/// The longest common subsequence of what lies between equal beginnings and ends.
void align_middle(const std::vector<std::string>& a, const std::vector<std::string>& b, std::size_t start,
                  std::size_t a_end, std::size_t b_end, std::vector<std::pair<std::size_t, std::size_t>>& pairs) {
  const std::size_t rows = a_end - start, columns = b_end - start;
  if (rows == 0 || columns == 0 || rows > kMostPairs / columns) return;
  std::vector<std::uint32_t> length((rows + 1) * (columns + 1), 0);
  const auto at = [&](std::size_t i, std::size_t j) -> std::uint32_t& { return length[i * (columns + 1) + j]; };
  for (std::size_t i = rows; i-- > 0;)
    for (std::size_t j = columns; j-- > 0;)
      at(i, j) = a[start + i] == b[start + j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
  for (std::size_t i = 0, j = 0; i < rows && j < columns;) {
    if (a[start + i] == b[start + j])
      pairs.emplace_back(start + i++, start + j++);
    else
      ++(at(i + 1, j) >= at(i, j + 1) ? i : j);
  }
}

}  // namespace

std::vector<std::pair<std::size_t, std::size_t>> aligned(const std::vector<std::string>& before,
                                                         const std::vector<std::string>& after) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  std::size_t start = 0, a_end = before.size(), b_end = after.size();
  for (; start < std::min(a_end, b_end) && before[start] == after[start]; ++start) pairs.emplace_back(start, start);
  while (a_end > start && b_end > start && before[a_end - 1] == after[b_end - 1]) --a_end, --b_end;
  align_middle(before, after, start, a_end, b_end, pairs);
  for (; a_end < before.size(); ++a_end, ++b_end) pairs.emplace_back(a_end, b_end);
  return pairs;
}

void add_lines(const report::KernelReport& before, const report::KernelReport& after, KernelChange& change) {
  SourceLines sources;
  const auto add = [&](const report::LineStalls* a, const report::LineStalls* b) {
    sources.add(a, b);
    change.sass.push_back({a != nullptr ? pc_text(*a) : "", b != nullptr ? pc_text(*b) : "",
                           a != nullptr ? a->text : b->text, a != nullptr ? lost(*a) : 0, b != nullptr ? lost(*b) : 0});
  };
  const auto pairs = aligned(opcodes(before), opcodes(after));
  for (const auto& [i, j] : pairs) add(&before.lines[i], &after.lines[j]);
  std::vector<bool> joined_before(before.lines.size()), joined_after(after.lines.size());
  for (const auto& [i, j] : pairs) joined_before[i] = joined_after[j] = true;
  for (std::size_t i = 0; i < before.lines.size(); ++i)
    if (!joined_before[i]) add(&before.lines[i], nullptr);
  for (std::size_t j = 0; j < after.lines.size(); ++j)
    if (!joined_after[j]) add(nullptr, &after.lines[j]);
  largest_first(change.sass);
  change.cuda = sources.take();
}

}  // namespace sassim::change
