// SPDX-License-Identifier: Apache-2.0
// Which cycles, SMs and warps of a run a timeline shows.
#pragma once

#include <atomic>
#include <cstdint>
#include <set>
#include <vector>

#include "arch/sm/common/pipeline_observer.h"

namespace sassim::timeline {

struct Window {
  Cycle from, until = kNever;  ///< cycles from the start of the first kernel
};

struct Selection {
  Window window;
  std::set<std::uint32_t> sms;    ///< empty: chosen by who shows them
  std::set<std::uint32_t> warps;  ///< places in an SM; empty: all
};

}  // namespace sassim::timeline
