// SPDX-License-Identifier: Apache-2.0
// What a process under `sassim exec` tells the command while it runs: lines of JSON in a file of its own in the
// session's folder, each written at once, so that whatever ends the process takes nothing back.
#pragma once

#include <sys/types.h>

#include <string>

#include "sim/cuda/abi.h"
#include "sim/emu/core/fault.h"
#include "sim/report/kernel_json.h"

namespace sassim::cuda {

/// One per process. A program that is started takes the next number, 1, 2, ...; the processes that process 1 forks are
/// 1.1, 1.2, ..., in the order of the forks, so that names do not depend on who runs first.
class SessionLog {
 public:
  /// An empty folder: nobody listens. Throws InputError when the folder cannot be written.
  explicit SessionLog(std::string folder);
  ~SessionLog();
  SessionLog(const SessionLog&) = delete;
  SessionLog& operator=(const SessionLog&) = delete;

  /// "1", or "1.2"
  const std::string& process() const { return process_; }
  /// The launches of one process come one after the other: begin, then kernel or fault or neither, then end.
  void begin(const std::string& kernel);
  void kernel(const report::KernelReport& kernel, double host_seconds);
  void fault(Dim3 grid, Dim3 block, const emu::DeviceFault& fault);
  void end();
  /// The kernel that ended last ran on this stream, and waited because another stream's kernel had the device.
  void ran_on(std::uint64_t stream, bool ordered_with_default, bool waited);

 private:
  struct Forks;
  void became_child(unsigned number);
  void write(const nlohmann::ordered_json& line);

  std::string folder_, process_;
  int descriptor_ = -1;
  unsigned children_ = 0;
  report::KernelWriter writer_;
};

}  // namespace sassim::cuda
