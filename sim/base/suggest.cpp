// SPDX-License-Identifier: Apache-2.0
// Finds the known name nearest to a misspelt one, by edit distance, for the "did you mean" of errors.
#include "sim/base/suggest.h"

#include <fmt/format.h>

#include <algorithm>

namespace sassim {

int edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<int>> d(a.size() + 1, std::vector<int>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = static_cast<int>(i);
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i)
    for (std::size_t j = 1; j <= b.size(); ++j) {
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  constexpr std::size_t kLongestWord = 200, kShortestBeginning = 3;
  if (word.size() > kLongestWord) return {};
  const std::string* best = nullptr;
  int best_distance = static_cast<int>(std::max<std::size_t>(1, word.size() / 3)) + 1;
  for (const std::string& candidate : known) {
    // The beginning of a name counts as similar to it.
    const bool beginning = word.size() >= kShortestBeginning && candidate.starts_with(word);
    const int distance = beginning ? 1 : edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = &candidate;
    }
  }
  return best ? fmt::format(" (did you mean '{}'?)", *best) : std::string();
}

}  // namespace sassim
