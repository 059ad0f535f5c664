// SPDX-License-Identifier: Apache-2.0
// How far the simulated cycles of a GPU were from measured ones, as its page in validation/ says.
#pragma once

#include <optional>
#include <string>

namespace sassim::study {

/// Mean error in percent, over kernels that no value of the configuration was chosen for where there are some; nothing
/// for a GPU without such a page, or with other values than its file has ("t4 with ...").
std::optional<double> expected_error(const std::string& config_name);

/// The same from the text of one page.
std::optional<double> expected_error_in(const std::string& page, const std::string& config_name);

}  // namespace sassim::study
