// SPDX-License-Identifier: Apache-2.0
// The sections of the terminal report as data for pages, so that both show the same rows with the same numbers.
#pragma once

#include <nlohmann/json.hpp>

#include "sim/report/result.h"

namespace sassim::page {

/// The same for every launch: sections with their labels and metrics, and what a column means.
nlohmann::ordered_json sections_json();

/// The tables of one launch: parts of the throughputs, what limits the occupancy, instruction mix, memory, warp states.
nlohmann::ordered_json tables_json(const report::KernelReport& kernel);

}  // namespace sassim::page
