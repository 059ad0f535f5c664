// SPDX-License-Identifier: Apache-2.0
// All descendants of this process. A process that is a "child subreaper" (prctl) remains the ancestor of all of them,
// also of daemons.
#pragma once

#include <sys/types.h>

#include <vector>

namespace sassim::session {

/// Without processes that have ended and are not reaped yet.
std::vector<pid_t> descendants();

/// Sends a signal to each descendant and returns how many there are; signal 0 only counts them.
std::size_t signal_descendants(int signal);

/// Kills until no descendant is left, and reaps the children of this process.
void kill_descendants();

}  // namespace sassim::session
