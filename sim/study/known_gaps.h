// SPDX-License-Identifier: Apache-2.0
// Differences from hardware that are known and explained. They stay failures; they are told apart, not left out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sassim::study {

struct KnownGap {
  std::string pattern;  ///< of target ids: `*` stands for any characters
  std::string gpu;
  std::string reason;
  std::string error;  ///< what was seen when last looked at
  std::string since;  ///< date
  bool matches(std::string_view id) const;
};

/// Reads validation/known-gaps.yaml. Throws InputError naming file and line.
std::vector<KnownGap> load_known_gaps(const std::string& path);

/// The page docs/known-gaps.md.
std::string known_gaps_page(const std::vector<KnownGap>& gaps);

}  // namespace sassim::study
