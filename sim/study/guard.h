// SPDX-License-Identifier: Apache-2.0
// The process between `sassim exec` and the program.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <cstdint>
#include <functional>

namespace sassim::study {

struct GuardWork {
  const char* file = nullptr;
  char* const* argv = nullptr;
  char* const* envp = nullptr;
  sigset_t mask{};  ///< of the program
  pid_t group = 0;  ///< the program's process group
  int orders = -1;  ///< bytes are signals for the program's processes; its end: the command is gone
  int report = -1;  ///< a GuardReport goes here
  const std::function<void()>& abandoned;
};

struct GuardReport {
  int error = 0;   ///< why the program could not be started
  int status = 0;  ///< as waitpid gives it
  std::uint64_t killed = 0;
  std::uint64_t peak_memory = 0;
};

/// To be called in a child made by fork(), with SIGCHLD blocked. It starts the program, waits for its end, gives what
/// it left running a moment to end too, and kills it then.
[[noreturn]] void run_guard(const GuardWork& work);

}  // namespace sassim::study
