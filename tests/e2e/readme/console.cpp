// SPDX-License-Identifier: Apache-2.0
#include "tests/e2e/readme/console.h"

#include <algorithm>
#include <regex>
#include <sstream>
#include <string_view>

namespace sassim {
namespace {

constexpr std::string_view kDots = "...";

/// "..." in the pattern stands for any text.
bool line_matches(std::string_view pattern, std::string_view line) {
  const std::size_t dots = pattern.find(kDots);
  if (dots == std::string_view::npos) return pattern == line;
  if (!line.starts_with(pattern.substr(0, dots))) return false;
  const std::string_view rest = pattern.substr(dots + kDots.size());
  for (std::size_t from = dots; from <= line.size(); ++from)
    if (line_matches(rest, line.substr(from))) return true;
  return false;
}

bool match(const Lines& shown, std::size_t i, const Lines& output, std::size_t j) {
  if (i == shown.size()) return j == output.size();
  if (shown[i] != kDots)
    return j < output.size() && line_matches(shown[i], output[j]) && match(shown, i + 1, output, j + 1);
  for (std::size_t next = j; next <= output.size(); ++next)
    if (match(shown, i + 1, output, next)) return true;
  return false;
}

/// Numbers, bars, units and the width of columns left out.
std::string words_of(const std::string& line) {
  static const std::regex number(R"([-+]?[0-9]+([., ][0-9]+)*|#+|[KMG]iB)"), space(" +");
  return std::regex_replace(std::regex_replace(line, number, " "), space, " ");
}

}  // namespace

Lines split_lines(const std::string& text) {
  Lines lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    line.erase(line.find_last_not_of(" \r") + 1);
    lines.push_back(line);
  }
  return lines;
}

std::vector<ShownCommand> shown_commands(const Lines& page) {
  std::vector<ShownCommand> found;
  std::string info;
  bool inside = false;
  for (std::size_t i = 0; i < page.size(); ++i) {
    if (page[i].starts_with("```")) {
      inside = !inside && page[i].starts_with("```console");
      info = page[i].substr(3);
    } else if (inside && page[i].starts_with("$ ")) {
      found.push_back({info, page[i].substr(2), {}, i + 1});
    } else if (inside && !found.empty()) {
      found.back().output.push_back(page[i]);
    }
  }
  return found;
}

bool shows(const Lines& shown, const Lines& output) { return match(shown, 0, output, 0); }

Lines updated(const Lines& shown, const Lines& output) {
  if (shown.empty()) return output;
  Lines lines;
  auto next = output.begin();
  for (const std::string& line : shown) {
    const std::string words = words_of(line);
    const auto same =
        line == kDots ? output.end() : std::find_if(next, output.end(), [&](const std::string& candidate) {
          return line_matches(words, words_of(candidate));
        });
    if (same == output.end()) {
      lines.push_back(line);
      continue;
    }
    next = same + 1;
    if (line_matches(line, *same)) {
      lines.push_back(line);
      continue;
    }
    const bool cut = line.ends_with(kDots) && same->size() >= line.size();
    lines.push_back(cut ? same->substr(0, line.size() - kDots.size()) + std::string(kDots) : *same);
  }
  return lines;
}

}  // namespace sassim
