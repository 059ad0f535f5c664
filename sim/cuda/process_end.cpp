// SPDX-License-Identifier: Apache-2.0
#include "sim/cuda/process_end.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>

#include "sim/cuda/inside_call.h"
#include "sim/cuda/session.h"

namespace sassim::cuda {

namespace {

std::atomic<Session*> the_session;  ///< nullptr: there is none, or a handler of a signal interrupted its making
std::atomic<bool> ended;
thread_local constinit bool ends_the_process = false;

/// Nothing can be settled in the middle of a call that a signal handler has interrupted, which then forks or exits.
Session* session_to_settle() { return InsideCall::here() ? nullptr : the_session.load(); }

/// If main() has called pthread_exit(), the last thread of the process ends it, and so would the last thread that is
/// made from now on: there must be none.
void settle_at_exit(Session& session) {
  if (gettid() != getpid()) session.launcher().work_alone();
  settle_or_end_process(session);
}

void exit_begins(int, void*) {
  if (Session* session = session_to_settle()) {
    const std::scoped_lock lock(session->mutex());
    settle_at_exit(*session);
  }
}

/// The last thing that happens in the runtime. No code of the program that uses CUDA comes later: the loader runs it
/// after the destructors of all libraries that need this one, quick_exit() after all handlers that were registered
/// later.
void end_runtime() {
  Session* const session = session_to_settle();
  if (session == nullptr) return;
  ends_the_process = true;
  ended = true;
  session->mutex().lock();  // forever: the process ends
  settle_at_exit(*session);
  session->launcher().remove_folder();
}

__attribute__((destructor)) void at_exit() { end_runtime(); }
__attribute__((constructor)) void at_load() { std::at_quick_exit(end_runtime); }

thread_local constinit bool locked_for_fork = false;

void before_fork() {
  Session* const session = session_to_settle();
  locked_for_fork = session != nullptr;
  if (session == nullptr) return;
  session->mutex().lock();
  settle_or_end_process(*session);
}

void after_fork_in_parent() {
  if (locked_for_fork) the_session.load()->mutex().unlock();
}

/// The child has one thread, and an end of its own.
void after_fork_in_child() {
  ended = false;
  ends_the_process = false;
  if (locked_for_fork) the_session.load()->renew_mutex();
}

}  // namespace

void watch_the_process(Session& session) {
  the_session = &session;
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

void settle_when_exit_begins() {
  static const int registered = on_exit(exit_begins, nullptr);
  static_cast<void>(registered);
}

bool runtime_ended() { return ended; }

void wait_if_ended() {
  while (ended && !ends_the_process) pause();
}

}  // namespace sassim::cuda
