// SPDX-License-Identifier: Apache-2.0
// The log of a process under `sassim exec`: JSON lines in the process's own file in the session folder. Each line is
// written at once, so that it remains however the process ends.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "sim/cuda/abi.h"
#include "sim/emu/core/fault.h"
#include "sim/report/kernel_json.h"

namespace sassim::cuda {

/// One per process. Programs that are started get the numbers 1, 2, ...; forks of process 1 get 1.1, 1.2, ... in the
/// order of the forks, so that names do not depend on which process runs first.
class SessionLog {
 public:
  /// An empty folder: nothing is logged. Throws InputError if the folder cannot be written.
  explicit SessionLog(std::string folder);
  ~SessionLog();
  SessionLog(const SessionLog&) = delete;
  SessionLog& operator=(const SessionLog&) = delete;

  /// "1", or "1.2"
  const std::string& process() const { return process_; }
  /// For each launch, in order: begin, then kernel, fault or neither, then end.
  void begin(const std::string& kernel);
  void kernel(const report::KernelReport& kernel, double host_seconds);
  void fault(Dim3 grid, Dim3 block, const emu::DeviceFault& fault);
  void end();
  /// The stream of the last kernel, and how it ran with kernels of other streams.
  struct Company {
    bool waited;                 ///< it was ready while a kernel of another stream ran, and waited for that
    std::optional<bool> beside;  ///< whether it ran beside others; nothing: with --serial
  };
  void ran_on(std::uint64_t stream, bool ordered_with_default, const Company& company);

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
