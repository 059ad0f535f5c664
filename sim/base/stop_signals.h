// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and other signals without handlers: they are blocked, and wait() receives them together with other events. Or
// a thread receives none.
#pragma once

#include <pthread.h>

#include <csignal>
#include <string>
#include <utility>

namespace sassim {

/// During its lifetime only wait() receives SIGINT, SIGTERM, SIGHUP, SIGUSR1 and SIGCHLD of this thread. A signal that
/// was ignored when the command started (nohup) stays ignored.
class StopSignals {
 public:
  StopSignals();
  /// If a stop signal has arrived that no wait() has received, the process ends now.
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// Returns when a child has ended, a stop or snapshot is requested, or the time is over. The result is the number of
  /// the stop signal, or 0.
  int wait(double seconds);
  /// Returns a stop signal that has arrived already, or 0.
  int poll() { return wait(0); }
  bool asked() const { return first_ != 0; }
  /// True if SIGUSR1 has arrived since the last call: the user asks for the progress.
  bool take_snapshot_request() { return std::exchange(snapshot_, false); }
  /// The first signal that requested a stop; 0: none.
  int received() const { return first_; }
  /// The last signal came from the terminal, which sends it to the whole foreground group.
  bool from_terminal() const { return from_terminal_; }
  /// The signal mask before, for programs that this process starts.
  const sigset_t& before() const { return before_; }

 private:
  sigset_t set_, before_;
  int first_ = 0;
  bool from_terminal_ = false, snapshot_ = false;
};

/// During its lifetime this thread receives no signals, nor do the threads that it starts, for good. Such threads may
/// belong to a library in a program whose handlers must run in the program's own threads: one that ends the process or
/// calls the library in a worker would wait for the thread that waits for the worker.
class NoSignals {
 public:
  NoSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~NoSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;

 private:
  sigset_t before_{};
};

/// For main(): SIGUSR1 no longer ends the process, even if nothing handles it. Programs that it starts receive it as
/// usual.
void outlive_snapshot_requests();

/// "SIGTERM"
std::string signal_name(int signal);

/// Ends this process by the signal, so that its parent sees 128 + number; output so far is kept.
[[noreturn]] void end_as_stopped(int signal);

}  // namespace sassim
