// SPDX-License-Identifier: Apache-2.0
// The error of simulated cycles against measured cycles, as the GPU's page in validation/ states it.
#pragma once

#include <optional>
#include <string>

namespace sassim::study {

/// Mean error in percent; over kernels that no configuration value was chosen by, if the page has some. Empty for a GPU
/// without such a page, and for a GPU with changed values ("t4 with ...").
std::optional<double> expected_error(const std::string& config_name);

/// The same from the text of a page.
std::optional<double> expected_error_in(const std::string& page, const std::string& config_name);

}  // namespace sassim::study
