// SPDX-License-Identifier: Apache-2.0
// What the hardware offers to a configuration by name.
#pragma once

#include "sim/config/loader.h"

namespace sassim::replay {

/// The registered names of each policy that a configuration can choose, by key.
config::KnownNames known_names();

}  // namespace sassim::replay
