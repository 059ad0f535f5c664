// SPDX-License-Identifier: Apache-2.0
// Ctrl-C without handlers: the signals are blocked, and waited for between other things.
#pragma once

#include <csignal>

namespace sassim::study {

/// While it lives, SIGINT, SIGTERM and SIGCHLD of this thread are taken by wait() alone.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// Returns when a child ended, a stop was asked for, or the time is over.
  void wait(double seconds);
  bool asked() const { return asked_; }

 private:
  sigset_t set_, before_;
  bool asked_ = false;
};

}  // namespace sassim::study
