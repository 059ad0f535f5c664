// SPDX-License-Identifier: Apache-2.0
// All configurable values of a GPU, as plain structs: a header in groups/ for each. Who needs one group includes its
// header alone, so that a new key compiles only what reads its group.
//
// The meaning, key, unit and range of each member are in fields_*.cpp ('sassim config explain --all' prints them). The
// initialisers are the values of configs/generations/common.yaml; in groups that may be absent they switch the
// mechanism off. A test compares both.
#pragma once

#include <string>

#include "sim/config/groups/clocks.h"
#include "sim/config/groups/environment.h"
#include "sim/config/groups/launch.h"
#include "sim/config/groups/memory.h"
#include "sim/config/groups/sm.h"

namespace sassim::config {

struct GpuConfig {
  std::string name = "default";
  std::string modified;
  std::string description;
  int arch = 70;
  Clocks clock;
  Sm sm;
  Memory memory;
  Launch launch;
  Environment environment;
};

}  // namespace sassim::config
