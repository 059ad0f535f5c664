// SPDX-License-Identifier: Apache-2.0
// What no single key can check: values that must fit each other.
#pragma once

#include "sim/config/loader.h"

namespace sassim::config {

/// Adds to `loaded.problems`. Where an override made an older value impossible (an l1.size below some carve-outs), the
/// older value follows it, and `loaded.notes` says so.
void check(LoadedConfig& loaded);

}  // namespace sassim::config
