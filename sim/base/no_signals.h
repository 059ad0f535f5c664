// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <csignal>

namespace sassim {

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

}  // namespace sassim
