// SPDX-License-Identifier: Apache-2.0
// What two results of one run do not agree on.
#pragma once

#include <string>
#include <vector>

namespace sassim::bundle {

struct Difference {
  std::string first;                 ///< the first kernel and metric, and both values; "": none
  std::vector<std::string> metrics;  ///< each once, with the number of kernels where it differs
  std::vector<std::string> others;   ///< what else differs: "config", "lines of kernel 0"
};

/// `then`, of the bundle, and `now` are results as `--json` writes them. Throws InputError, starting with `place`, when
/// `then` is no such text.
Difference difference(const std::string& then, const std::string& now, const std::string& place);

/// The result with another version of sassim in its head: what remains can be compared byte for byte.
std::string with_version(std::string result, const std::string& version);

}  // namespace sassim::bundle
