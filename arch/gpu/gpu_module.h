// SPDX-License-Identifier: Apache-2.0
// The GPU as SystemC sees it: the hierarchy of named modules, ports that must be bound, and the process that steps from
// epoch to epoch. Only the source file includes headers of SystemC.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "arch/memory/memory_system.h"
#include "arch/sm/sm.h"
#include "sim/config/forward.h"

namespace sassim::arch {

class SignalDump;
struct SignalFile;

class GpuModule {
 public:
  /// Builds and elaborates the modules; every SM gets its MemoryPort through a SystemC port.
  explicit GpuModule(const config::GpuConfig& config);
  ~GpuModule();

  std::vector<Sm*> sms();
  MemorySystem& memory();
  /// Full names of all modules, parents first.
  std::vector<std::string> names() const;

  /// The dump for the signals of an SM; the first call makes the file, the destructor of the module closes it.
  SignalDump& dump(const SignalFile& file);

  /// Calls `step` at the start of each epoch; `step` returns the cycle of the next epoch, or kNever to stop. An
  /// exception of `step` ends the run and is rethrown here.
  void run(const std::function<Cycle()>& step);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sassim::arch
