// SPDX-License-Identifier: Apache-2.0
// A program that ends when this command does, with every process that it has started.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/study/stop_signals.h"

namespace sassim::study {

struct ProgramEnd {
  int status = 0;                 ///< of its exit(); undefined when a signal ended it
  int signal = 0;                 ///< that ended it; 0: it ended by itself
  std::size_t killed = 0;         ///< processes that it had left running, and that were killed
  std::uint64_t peak_memory = 0;  ///< of its largest process
};

/// Between this process and the program stands a guard, a process that does nothing but wait. It takes in what the
/// program leaves behind, and ends all of it when this process goes away, in whatever way. The program is in this
/// process's group: it can read from the terminal.
class GuardedProgram {
 public:
  struct Start {
    std::string file;
    std::vector<std::string> arguments, environment;
  };
  /// `abandoned` is what the guard does, after the program was killed, when this process is gone. Throws InputError
  /// when the program cannot be started.
  GuardedProgram(Start start, const StopSignals& signals, const std::function<void()>& abandoned);
  /// Kills what still runs.
  ~GuardedProgram();
  GuardedProgram(const GuardedProgram&) = delete;
  GuardedProgram& operator=(const GuardedProgram&) = delete;

  /// Waits for the end. Hands on signals that ask for a stop, and gives the program a few seconds to follow; a second
  /// signal, or the end of that time, kills it. `snapshot` is called when one is asked for.
  ProgramEnd wait(StopSignals& signals, const std::function<void()>& snapshot = {});

 private:
  void send(int signal) const;

  std::string name_;
  pid_t guard_ = -1;
  int orders_ = -1;  ///< to the guard: the numbers of signals; closed: this process is gone
  int report_ = -1;  ///< from the guard
};

}  // namespace sassim::study
