// SPDX-License-Identifier: Apache-2.0
// Limits of a change, as `sassim compare --fail-if` takes them from a check in continuous integration: "cycles > +2%",
// "saxpy: dram__bytes.sum > +5%".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/change/change.h"
#include "sim/pattern/pattern.h"

namespace sassim::change {

/// The name of a metric; `word` may be "cycles" or "duration".
std::string metric_name(const std::string& word);

/// One side of one metric. It holds for every kernel whose name the pattern matches.
class Limit {
 public:
  /// Throws UsageError with the form that is expected.
  explicit Limit(const std::string& text);
  /// A sentence for each kernel that is beyond the limit. Throws InputError if no kernel has the metric.
  std::vector<std::string> broken(const Comparison& comparison) const;

 private:
  std::string text_, metric_;
  Pattern kernels_;
  bool above_ = true;
  double percent_ = 0;
};

}  // namespace sassim::change
