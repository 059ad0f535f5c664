// SPDX-License-Identifier: Apache-2.0
// The processes below this one, however they were started. A process that is a "child subreaper" (prctl) stays the
// ancestor of all of them, also of daemons.
#pragma once

#include <sys/types.h>

#include <vector>

namespace sassim::study {

/// Without those that have ended and wait for their parent.
std::vector<pid_t> descendants();

/// Sends a signal to each; 0 only counts them. Returns how many there are.
std::size_t signal_descendants(int number);

/// Kills until none is left, and reaps those that are this process's children.
void kill_descendants();

}  // namespace sassim::study
