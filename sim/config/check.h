// SPDX-License-Identifier: Apache-2.0
// Checks of a configuration that has been read: that values of several keys fit each other.
#pragma once

#include "sim/config/loader.h"

namespace sassim::config {

/// Adds to `loaded.problems`. If an override makes an older value impossible (an l1.size below some carve-outs), the
/// older value is adjusted and `loaded.notes` says so.
void check(LoadedConfig& loaded);

}  // namespace sassim::config
