// SPDX-License-Identifier: Apache-2.0
// Starts, watches and ends another process: a program, or a copy of this process.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace sassim {

struct ProcessEnd {
  int status = 0;  ///< as a shell reports it: 128 + N if signal N killed the process
  std::uint64_t peak_memory = 0;
  double seconds = 0;
};

class ChildProcess {
 public:
  /// Starts `command`, a path or a name on the PATH. Its output goes to `log`, its standard input is empty. It has a
  /// process group of its own, so that Ctrl-C reaches only its parent. Throws InputError when it cannot be started.
  ChildProcess(std::vector<std::string> command, const std::string& log);
  /// Starts a copy of this process, which must have no other threads. It does `work`, writes nothing that this process
  /// has not written yet, and ends with this process at the latest; its status is 1 if `work` throws. It has this
  /// process's group and blocked signals. Throws InputError when it cannot be started.
  static ChildProcess copy(const std::function<void()>& work);
  /// Kills the process if it still runs.
  ~ChildProcess();
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;

  int id() const { return id_; }
  /// Empty while the process runs.
  std::optional<ProcessEnd> poll();
  ProcessEnd wait();
  void signal(int signal_number) const;

 private:
  ChildProcess();
  std::optional<ProcessEnd> reap(int options);

  int id_ = -1;  ///< -1: ended or moved away
  double began_ = 0;
};

/// Makes this process end when its parent ends; it ends at once if `parent` has already ended.
void die_with_parent(int parent);

/// The path of the running program.
std::string this_program();

}  // namespace sassim
