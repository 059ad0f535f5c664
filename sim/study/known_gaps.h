// SPDX-License-Identifier: Apache-2.0
// Differences from hardware that are known and explained. They stay failures; they are told apart, not left out.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sassim::study {

struct KnownGap {
  /// A difference of the model is a failure; where sources contradict each other nothing could be right.
  enum class Kind { difference, contradiction };
  Kind kind = Kind::difference;
  std::string gpu;
  std::string reason;
  std::string since;                                ///< date
  std::map<std::string, double, std::less<>> rows;  ///< target ids, and the largest error in percent that is explained
};

/// Reads validation/known-gaps.yaml. Throws InputError naming file and line, also for an id that comes twice.
std::vector<KnownGap> load_known_gaps(const std::string& path);

/// The page docs/known-gaps.md.
std::string known_gaps_page(const std::vector<KnownGap>& gaps);

}  // namespace sassim::study
