// SPDX-License-Identifier: Apache-2.0
// A program that ends, with all processes that it has started, when this command ends.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/base/stop_signals.h"

namespace sassim::session {

struct ProgramEnd {
  int status = 0;                 ///< argument of exit(); undefined if a signal ended the program
  int signal = 0;                 ///< the signal that ended the program; 0: none
  std::size_t killed = 0;         ///< processes that were still running after the program's end and were killed
  std::uint64_t peak_memory = 0;  ///< bytes, of the largest process
};

/// A guard process stands between this process and the program. It becomes the parent of processes that the program
/// leaves behind, and kills all of them when this process ends for whatever reason. The program is in this process's
/// group, so that it can read from the terminal.
class GuardedProgram {
 public:
  struct Start {
    std::string file;
    std::vector<std::string> arguments, environment;
  };
  /// The guard is there, and the program waits for start(). If this process has ended, the guard kills the program and
  /// then calls `abandoned`. Throws InputError when the guard cannot be started.
  GuardedProgram(Start start, const StopSignals& signals, const std::function<void()>& abandoned);
  void start() const;
  /// Kills every process that still runs.
  ~GuardedProgram();
  GuardedProgram(const GuardedProgram&) = delete;
  GuardedProgram& operator=(const GuardedProgram&) = delete;

  /// Waits for the end of the program, which has been started; throws InputError if it cannot be. Passes on a signal
  /// that asks for a stop and gives the program a few seconds; then, or at a second signal, kills it. `snapshot` is
  /// called when SIGUSR1 asks for a snapshot.
  ProgramEnd wait(StopSignals& signals, const std::function<void()>& snapshot = {});

 private:
  void send(int signal) const;

  std::string name_;
  pid_t guard_ = -1;
  int orders_ = -1;  ///< to the guard: 0 to start, then signal numbers; end of file: this process has ended
  int report_ = -1;  ///< from the guard
};

}  // namespace sassim::session
