// SPDX-License-Identifier: Apache-2.0
// Whether the layers of a configuration say everything that a GPU needs, and fit the chip.
#pragma once

#include "sim/config/layers.h"
#include "sim/config/loader.h"

namespace sassim::config {

/// Every key must be set by some file, those of an optional group all or none of them. Adds to `loaded.problems`.
void check_complete(LoadedConfig& loaded, const Layers& layers);

/// A sample's floor plan is for a number of SMs. -o may change that number: what the plan says of others is not used.
void check_sample(LoadedConfig& loaded, const Layers& layers);

}  // namespace sassim::config
