// SPDX-License-Identifier: Apache-2.0
// Another process, started without a fork of this one's memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sassim::study {

struct ProcessEnd {
  int status = 0;  ///< as a shell has it: 128 and the signal's number when it was killed
  std::uint64_t peak_memory = 0;
  double seconds = 0;
};

class ChildProcess {
 public:
  /// Starts `command`, a path or a name on the PATH; what it writes goes to `log`, its standard input is empty. It has
  /// a process group of its own, so that Ctrl-C reaches only its parent. Throws InputError when it cannot be started.
  ChildProcess(std::vector<std::string> command, const std::string& log);
  /// Kills it if it still runs.
  ~ChildProcess();
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;

  int id() const { return id_; }
  /// Nothing while it runs.
  std::optional<ProcessEnd> poll();
  ProcessEnd wait();
  void signal(int number) const;

 private:
  std::optional<ProcessEnd> reap(int options);

  int id_ = -1;  ///< -1: ended or moved away
  double began_ = 0;
};

/// Ends this process when the one that started it does; at once when that has happened already (`parent` is gone).
void die_with_parent(int parent);

/// The running program's file.
std::string this_program();

}  // namespace sassim::study
