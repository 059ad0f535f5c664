// SPDX-License-Identifier: Apache-2.0
// The GPU as SystemC sees it: the hierarchy of named modules, ports that must be bound, and the process that steps from
// epoch to epoch. Only the source file includes headers of SystemC.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "arch/gpu/system.h"
#include "arch/memory/memory_system.h"
#include "arch/sm/sm.h"
#include "sim/config/forward.h"

namespace sassim::arch {

class MemorySockets;
class SignalDump;
struct SignalFile;

class GpuModule {
 public:
  /// Builds the modules, under this name. In a platform they are children of the module that is being constructed.
  GpuModule(System& system, const config::GpuConfig& config, const std::string& name);
  ~GpuModule();

  /// Every SM has got its MemoryPort through a SystemC port. Only after System::elaborate().
  std::vector<Sm*> sms();
  MemorySystem& memory();
  /// Of the DRAM channels whose data come from outside; they are bound before System::elaborate().
  MemorySockets& sockets();
  /// Full names of all modules, parents first.
  std::vector<std::string> names() const;
  /// The cycle of this GPU in which SystemC's clock is, or the next one.
  Cycle clock() const;

  /// The dump for the signals of an SM; the first call makes the file, the destructor of the module closes it.
  SignalDump& dump(const SignalFile& file);

  /// The process calls `step` at the start of each epoch, once the system runs; `step` returns the cycle of the next
  /// epoch, or kNever to stop. It must live until then.
  void start(const std::function<Cycle()>& step);
  /// After the process has stopped: rethrows the exception of `step` that stopped it.
  void rethrow();
  /// All three: starts, runs the system (in a platform, waits), rethrows.
  void run(const std::function<Cycle()>& step);
  /// In a platform: waits until its clock is at this cycle.
  void wait_until(Cycle at);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sassim::arch
