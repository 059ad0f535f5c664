// SPDX-License-Identifier: Apache-2.0
// The policies and units that a configuration can choose by name, as the hardware model has registered them.
#pragma once

#include "sim/config/loader.h"

namespace sassim::replay {

/// The registered names of each policy that a configuration can choose, by key.
config::KnownNames known_names();

}  // namespace sassim::replay
