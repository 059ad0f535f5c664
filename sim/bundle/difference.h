// SPDX-License-Identifier: Apache-2.0
// Where a bundle's result and that of its replay here differ, for `sassim reproduce`.
#pragma once

#include <string>
#include <vector>

namespace sassim::bundle {

struct Difference {
  std::string first;                 ///< the first kernel and metric with both values; "": no difference
  std::vector<std::string> metrics;  ///< each metric once, with the number of kernels in which it differs
  std::vector<std::string> others;   ///< other differences, such as "config" or "lines of kernel 0"
};

/// `then` (from the bundle) and `now` are results as `--json` writes them. Throws InputError that begins with `place`
/// if `then` is not such a text.
Difference difference(const std::string& then, const std::string& now, const std::string& place);

/// The result with the version of sassim replaced, so that results of two versions can be compared byte by byte.
std::string with_version(std::string result, const std::string& version);

}  // namespace sassim::bundle
