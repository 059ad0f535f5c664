// SPDX-License-Identifier: Apache-2.0
// What the runtime does when the program's process exits or forks: it settles all work. Work is settled when the timing
// model has simulated it and its results are written.
#pragma once

namespace sassim::cuda {

class Session;

/// Call it once, when the process has made its session. From then on, fork() waits for calls of other threads and
/// settles all work, because the child does not continue it.
void watch_the_process(Session&);

/// Settles all work as soon as the program begins to exit. The last settling comes later, but a handler of the program
/// may end the process before it.
void settle_when_exit_begins();

/// True once the program's own code has run to its end: what is launched then is settled at once.
bool runtime_ended();

/// Returns unless the runtime has ended and this is not the thread that ends the process. Such a thread waits for the
/// end here: no kernel begins that could not be completed.
void wait_if_ended();

}  // namespace sassim::cuda
