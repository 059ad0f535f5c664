// SPDX-License-Identifier: Apache-2.0
// Parses a LIST in options: "1,2,8", "4..64:4", or both mixed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sassim {

/// Numbers and ranges, separated by commas, in the order given.
///   FROM..TO:STEP   FROM, FROM + STEP, ... up to TO; STEP below zero counts down
///   FROM..TO:*F     FROM, FROM * F, ... up to TO
///   A,B,FROM..TO    continues the step from A to B, which adds or multiplies: "1,2,4..512" doubles, "0,4,8..64" adds 4
///   FROM..TO        without two numbers before it: steps of one
/// "inf" is a number. Throws UsageError that names `what` (such as "--alpha") and the item.
std::vector<double> parse_number_list(std::string_view text, std::string_view what);

/// The same for whole numbers that are at least `least`.
std::vector<long long> parse_integer_list(std::string_view text, std::string_view what, long long least);

}  // namespace sassim
