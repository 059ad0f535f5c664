// SPDX-License-Identifier: Apache-2.0
// Known and explained differences from hardware. Reports show them separately; they still count as failures, except
// those that contradict another measurement.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sassim::validate {

struct KnownGap {
  /// `difference`: the model is wrong, which is a failure. `contradiction`: sources contradict each other, so that no
  /// value is right.
  enum class Kind { difference, contradiction };
  Kind kind = Kind::difference;
  std::string gpu;
  std::string reason;
  std::string since;  ///< date
  std::map<std::string, double, std::less<>>
      rows;  ///< target ids, and the largest error in percent that the gap explains
};

/// Reads validation/known-gaps.yaml. Throws InputError with file and line, also for an id that appears twice.
std::vector<KnownGap> load_known_gaps(const std::string& path);

/// The text of validation/results/known-gaps.md.
std::string known_gaps_page(const std::vector<KnownGap>& gaps);

}  // namespace sassim::validate
