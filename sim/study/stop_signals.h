// SPDX-License-Identifier: Apache-2.0
// Ctrl-C without handlers: the signals are blocked, and waited for between other things.
#pragma once

#include <csignal>
#include <string>
#include <utility>

namespace sassim::study {

/// While it lives, SIGINT, SIGTERM, SIGHUP, SIGUSR1 and SIGCHLD of this thread are taken by wait() alone; those that
/// the command was started to ignore (nohup) stay ignored.
class StopSignals {
 public:
  StopSignals();
  /// A stop that nobody has taken ends the process now.
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// Returns when a child ended, a stop or a snapshot was asked for, or the time is over: the number of the signal that
  /// asks for a stop, else 0.
  int wait(double seconds);
  /// Takes a stop that is there already.
  int poll() { return wait(0); }
  bool asked() const { return first_ != 0; }
  /// SIGUSR1 came since this was asked last: somebody wants to know how far the work is.
  bool take_snapshot_request() { return std::exchange(snapshot_, false); }
  /// The first signal that asked for a stop; 0: none did.
  int number() const { return first_; }
  /// The last one came from the terminal, which sends it to every process of the foreground group.
  bool from_terminal() const { return from_terminal_; }
  /// The mask as it was before: for the programs that this process starts.
  const sigset_t& before() const { return before_; }

 private:
  sigset_t set_, before_;
  int first_ = 0;
  bool from_terminal_ = false, snapshot_ = false;
};

/// For main(): SIGUSR1 does not end the process, also where nobody looks at it. Programs that it starts get it as ever.
void outlive_snapshot_requests();

/// "SIGTERM"
std::string signal_name(int number);

/// Ends this process as the signal does, so that who started it sees 128 + number; what was printed is not lost.
[[noreturn]] void end_as_stopped(int number);

}  // namespace sassim::study
