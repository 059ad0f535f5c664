// SPDX-License-Identifier: Apache-2.0
// Parses which kernels, blocks and warps `sassim trace` shows; refuses those that a trace lacks.
#include "sim/cli/trace_choice.h"

#include <algorithm>
#include <charconv>

#include "sim/base/error.h"
#include "sim/trace/open.h"

namespace sassim::cli {
namespace {

std::uint64_t parse_number(std::string_view text, std::string_view list) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw UsageError("'{}' is not a list of numbers such as 3,0..7,0..63:8", list);
  return value;
}

bool is_number(const std::string& word) {
  return !word.empty() && std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

IndexRanges::IndexRanges(std::string_view list) : all_(list.empty()) {
  if (list.empty()) ranges_.push_back({0, ~std::uint64_t{0}, 1});
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    const std::string_view part = list.substr(at, end - at);
    const std::size_t dots = part.find(".."), colon = part.find(':');
    Range range;
    range.first = range.last = parse_number(part.substr(0, std::min(dots, colon)), list);
    if (dots != std::string_view::npos)
      range.last =
          parse_number(part.substr(dots + 2, colon == std::string_view::npos ? colon : colon - dots - 2), list);
    if (colon != std::string_view::npos) range.step = parse_number(part.substr(colon + 1), list);
    if (range.step == 0 || range.last < range.first)
      throw UsageError("'{}': the end of a range must not be below its start, and its step must not be 0", list);
    ranges_.push_back(range);
    at = end + 1;
  }
}

bool IndexRanges::contains(std::uint64_t value) const {
  return std::ranges::any_of(
      ranges_, [&](const Range& r) { return value >= r.first && value <= r.last && (value - r.first) % r.step == 0; });
}

std::optional<std::uint64_t> IndexRanges::largest() const {
  if (all_) return {};
  std::uint64_t largest = 0;
  for (const Range& r : ranges_) largest = std::max(largest, r.last - (r.last - r.first) % r.step);
  return largest;
}

std::vector<ChosenKernel> choose_kernels(const std::string& path, const std::vector<std::string>& words) {
  auto all = trace::open(path);
  std::vector<bool> wanted(all.size(), words.empty());
  for (const std::string& word : words) {
    bool found = false;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool match =
          is_number(word) ? word == std::to_string(i) : all[i]->kernel().name.find(word) != std::string::npos;
      wanted[i] = wanted[i] || match;
      found = found || match;
    }
    if (!found)
      throw UsageError("{} has no kernel '{}'; its {} kernels are listed by 'sassim trace info'", path, word,
                       all.size());
  }
  std::vector<ChosenKernel> chosen;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (wanted[i]) chosen.push_back({i, std::move(all[i])});
  return chosen;
}

void check_blocks(const IndexRanges& blocks, const std::string& option, const std::string& list,
                  const std::vector<ChosenKernel>& kernels) {
  std::uint64_t count = 0;
  for (const ChosenKernel& kernel : kernels) count = std::max(count, kernel.source->kernel().grid.count());
  if (const auto largest = blocks.largest(); largest && *largest >= count)
    throw UsageError("{} {}: there is no block {}; the grid has {}, counted from 0", option, list, *largest, count);
}

void check_warp(std::uint32_t warp, const std::vector<ChosenKernel>& kernels) {
  std::uint32_t count = 0;
  for (const ChosenKernel& kernel : kernels) count = std::max(count, kernel.source->kernel().warps_per_block());
  if (warp >= count) throw UsageError("--warp {}: a block has {} warps, counted from 0", warp, count);
}

}  // namespace sassim::cli
