// SPDX-License-Identifier: Apache-2.0
// Tells the user what was noticed while a valid configuration was read.
#pragma once

#include "sim/config/loader.h"

namespace sassim::config {

/// Writes the notes to the log: keys with a new name, values that were adjusted.
void log_notes(const LoadedConfig& loaded);

}  // namespace sassim::config
