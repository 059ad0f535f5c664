// SPDX-License-Identifier: Apache-2.0
#include "sim/study/stop_signals.h"

#include <ctime>
#include <initializer_list>

namespace sassim::study {

StopSignals::StopSignals() {
  sigemptyset(&set_);
  for (const int number : {SIGINT, SIGTERM, SIGCHLD}) sigaddset(&set_, number);
  pthread_sigmask(SIG_BLOCK, &set_, &before_);
}

StopSignals::~StopSignals() {
  // What is still pending has been seen, or is about children that are gone.
  const timespec none{0, 0};
  while (sigtimedwait(&set_, nullptr, &none) > 0) {
  }
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void StopSignals::wait(double seconds) {
  constexpr double kNanoseconds = 1e9;
  const auto whole = static_cast<time_t>(seconds);
  const timespec limit{whole, static_cast<long>((seconds - static_cast<double>(whole)) * kNanoseconds)};
  const int got = sigtimedwait(&set_, nullptr, &limit);
  asked_ = asked_ || got == SIGINT || got == SIGTERM;
}

}  // namespace sassim::study
