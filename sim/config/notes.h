// SPDX-License-Identifier: Apache-2.0
// What the reading of a configuration has to tell the user, though it is valid.
#pragma once

#include "sim/config/loader.h"

namespace sassim::config {

/// Writes the notes to the log: keys with a new name, values that were adjusted.
void log_notes(const LoadedConfig& loaded);

}  // namespace sassim::config
