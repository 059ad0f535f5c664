// SPDX-License-Identifier: Apache-2.0
// The process between `sassim exec` and the program: it ends whatever the program leaves running.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <cstdint>
#include <functional>

namespace sassim::session {

struct GuardWork {
  const char* file = nullptr;
  char* const* argv = nullptr;
  char* const* envp = nullptr;
  sigset_t mask{};  ///< signal mask for the program
  pid_t group = 0;  ///< the program's process group
  int orders = -1;  ///< each byte is a signal for the program's processes; end of file: the command has ended
  int report = -1;  ///< the GuardReport is written here
  const std::function<void()>& abandoned;  ///< called when the command has ended before the program
};

struct GuardReport {
  int error = 0;   ///< errno if the program could not be started, else 0
  int status = 0;  ///< as waitpid gives it
  std::uint64_t killed = 0;
  std::uint64_t peak_memory = 0;
};

/// Call it in a child made by fork(), with SIGCHLD and the signals that the command handles blocked. It starts the
/// program and waits for its end. Processes that the program leaves running get a moment to end, and are then killed.
/// Signals that it receives itself go to the command.
[[noreturn]] void run_guard(const GuardWork& work);

}  // namespace sassim::session
