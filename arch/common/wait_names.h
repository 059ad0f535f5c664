// SPDX-License-Identifier: Apache-2.0
// The names by which components that do not know each other refer to the same node of a WaitGraph.
#pragma once

#include <fmt/format.h>

#include <string>

#include "sim/base/types.h"

namespace sassim::arch {

inline constexpr const char* kNetworkName = "the network";
inline constexpr const char* kL2TlbName = "L2 TLB";
inline constexpr const char* kClockName = "time";  ///< whatever waits for it continues without an event from outside

inline std::string port_name(SmId sm) { return fmt::format("memory port of SM {}", sm.value); }
inline std::string l1_name(SmId sm) { return fmt::format("L1 of SM {}", sm.value); }
inline std::string memory_stage_name(SmId sm) { return fmt::format("memory stage of SM {}", sm.value); }
inline std::string code_caches_name(SmId sm) {
  return fmt::format("instruction and constant caches of SM {}", sm.value);
}
inline std::string fences_name(SmId sm) { return fmt::format("fences of SM {}", sm.value); }

}  // namespace sassim::arch
