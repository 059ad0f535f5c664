// SPDX-License-Identifier: Apache-2.0
// Settles the launches that wait for their times when the program exits or forks, and ends an exit() that hangs.
#include "sim/cuda/process_end.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <string_view>

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

// A handler that interrupts a call may interrupt an allocation of memory. If it then calls exit(), the first function
// at the end of the process that frees memory waits forever for the lock that its own thread holds: programs with such
// a handler run on a GPU because a call hardly computes there. Here it is a simulation. So the process is ended as soon
// as the thread that ends it has not run for ten seconds. Nothing below may allocate memory.

constexpr int seconds_at_rest = 10;
int status_of_exit;

/// Called once a second, in the thread that ends the process.
void end_if_at_rest(int) {
  static timespec before{};
  static int seconds = 0;
  const int saved_errno = errno;
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  const int64_t run_for = (now.tv_sec - before.tv_sec) * 1'000'000'000 + (now.tv_nsec - before.tv_nsec);
  before = now;
  seconds = run_for < 1'000'000 ? seconds + 1 : 0;
  if (seconds == seconds_at_rest) {
    constexpr std::string_view words =
        "sassim: the program waits forever in exit(), which a signal handler called in the middle of a CUDA call; it "
        "is ended. Let the handler set a flag, or call _exit()\n";
    static_cast<void>(write(STDERR_FILENO, words.data(), words.size()));
    _exit(status_of_exit);
  }
  errno = saved_errno;
}

/// By the kernel's own call: that of the C library allocates memory.
void watch_the_exit(int status) {
  status_of_exit = status;
  const int signal = SIGRTMAX;
  struct sigaction action {};
  action.sa_handler = end_if_at_rest;
  action.sa_flags = SA_RESTART;
  sigset_t unblocked;
  sigemptyset(&unblocked);
  sigaddset(&unblocked, signal);
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = signal;
  event._sigev_un._tid = gettid();
  int timer = 0;
  constexpr itimerspec each_second{.it_interval = {.tv_sec = 1, .tv_nsec = 0}, .it_value = {.tv_sec = 1, .tv_nsec = 0}};
  if (sigaction(signal, &action, nullptr) == 0 && pthread_sigmask(SIG_UNBLOCK, &unblocked, nullptr) == 0 &&
      syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer) == 0)
    syscall(SYS_timer_settime, timer, 0, &each_second, nullptr);
}

void exit_begins(int status, void*) {
  if (InsideCall::here()) watch_the_exit(status);
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
