// SPDX-License-Identifier: Apache-2.0
// Suggestions for misspelt names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sassim {

/// The number of single-character edits between two words (a swap of neighbours counts as one).
int edit_distance(std::string_view a, std::string_view b);

/// " (did you mean 'x'?)" if a known name is similar or begins with the word; else "".
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

}  // namespace sassim
