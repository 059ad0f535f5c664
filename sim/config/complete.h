// SPDX-License-Identifier: Apache-2.0
// Checks that the layers of a configuration (layers.h) set all keys that a GPU needs and fit the chip.
#pragma once

#include "sim/config/layers.h"
#include "sim/config/loader.h"

namespace sassim::config {

/// Every key must be set by a file; for an optional group, all keys or none. Adds to `loaded.problems`.
void check_complete(LoadedConfig& loaded, const Layers& layers);

/// A sample's floor plan is made for a number of SMs. If -o changes that number, what the plan says about other SMs is
/// not used.
void check_sample(LoadedConfig& loaded, const Layers& layers);

}  // namespace sassim::config
