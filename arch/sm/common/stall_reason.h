// SPDX-License-Identifier: Apache-2.0
// The reasons why a warp does not issue: the only such table in the simulator. Names and meanings follow the warp
// states of Nsight Compute.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sassim::arch {

enum class StallReason : std::uint8_t {
  selected,
  not_selected,
  wait,
  long_scoreboard,
  short_scoreboard,
  lg_throttle,
  mio_throttle,
  tex_throttle,
  math_pipe_throttle,
  dispatch_stall,
  barrier,
  membar,
  branch_resolving,
  no_instruction,
  imc_miss,
  sleeping,
  drain,
  starting,
  no_warp,
  count_
};

inline constexpr std::size_t kStallReasons = static_cast<std::size_t>(StallReason::count_);
constexpr std::size_t index(StallReason reason) { return static_cast<std::size_t>(reason); }

struct StallRow {
  StallReason reason;
  std::string_view
      name;  ///< Nsight's <r> in smsp__average_warps_issue_stalled_<r>_per_issue_active.ratio, if it has one
  std::string_view stage;  ///< the part of the SM that decides it
  std::string_view meaning;
};

const StallRow& stall_row(StallReason);
/// Nsight Compute counts a warp that has been placed but does not fetch yet as active, and under no reason.
inline bool counted_by_nsight(StallReason reason) {
  return reason != StallReason::starting && reason != StallReason::no_warp;
}
inline std::string_view stall_name(StallReason reason) { return stall_row(reason).name; }

}  // namespace sassim::arch
