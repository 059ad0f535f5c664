// SPDX-License-Identifier: Apache-2.0
// Receives Ctrl-C and other stop signals for commands that run other processes, and ends as the signal demands.
#include "sim/base/stop_signals.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <initializer_list>

namespace sassim {

namespace {

bool is_ignored(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

StopSignals::StopSignals() {
  sigemptyset(&set_);
  sigaddset(&set_, SIGCHLD);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1})
    if (!is_ignored(signal)) sigaddset(&set_, signal);
  pthread_sigmask(SIG_BLOCK, &set_, &before_);
}

StopSignals::~StopSignals() {
  // All children have ended. After a stop that was handled, a second signal changes nothing.
  sigset_t done;
  sigemptyset(&done);
  sigaddset(&done, SIGCHLD);
  sigaddset(&done, SIGUSR1);
  const timespec none{0, 0};
  while (sigtimedwait(asked() ? &set_ : &done, nullptr, &none) > 0) {
  }
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

int StopSignals::wait(double seconds) {
  constexpr double kNanoseconds = 1e9;
  const auto whole = static_cast<time_t>(seconds);
  const timespec limit{whole, static_cast<long>((seconds - static_cast<double>(whole)) * kNanoseconds)};
  siginfo_t info{};
  const int got = sigtimedwait(&set_, &info, &limit);
  if (got == SIGUSR1) snapshot_ = true;
  if (got != SIGINT && got != SIGTERM && got != SIGHUP) return 0;
  if (first_ == 0) first_ = got;
  from_terminal_ = info.si_code == SI_KERNEL;
  return got;
}

void outlive_snapshot_requests() {
  if (is_ignored(SIGUSR1)) return;
  struct sigaction action {};
  action.sa_handler = [](int) {};  // a handler, unlike SIG_IGN, is not inherited by programs
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &action, nullptr);
}

std::string signal_name(int signal) {
  const char* name = sigabbrev_np(signal);
  return name ? fmt::format("SIG{}", name) : fmt::format("signal {}", signal);
}

void end_as_stopped(int signal) {
  std::fflush(nullptr);
  std::signal(signal, SIG_DFL);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, signal);
  pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
  std::raise(signal);
  _exit(128 + signal);
}

}  // namespace sassim
