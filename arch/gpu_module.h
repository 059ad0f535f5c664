// SPDX-License-Identifier: Apache-2.0
// The GPU as SystemC sees it: the hierarchy of modules with their names, ports that must be bound, and the process that
// steps from epoch to epoch. SystemC's headers stay in the source file.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "arch/memory/memory_system.h"
#include "arch/sm/sm.h"
#include "sim/config/gpu_config.h"

namespace sassim::arch {

class SignalDump;
struct SignalFile;

class GpuModule {
 public:
  /// Builds and elaborates: every SM gets its door to the memory through a port.
  explicit GpuModule(const config::GpuConfig& config);
  ~GpuModule();

  std::vector<Sm*> sms();
  MemorySystem& memory();
  /// Full names of all modules, parents first.
  std::vector<std::string> names() const;

  /// Where the signals of an SM go; the file is made at the first call and closed with the module.
  SignalDump& dump(const SignalFile& file);

  /// Calls `step` at the start of each epoch until it returns kNever; it returns the cycle of the next epoch.
  /// What `step` throws ends the run and comes out here.
  void run(const std::function<Cycle()>& step);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sassim::arch
