// SPDX-License-Identifier: Apache-2.0
// The GPU as a module of a SystemC platform (docs/tlm.md). Compile with the target sassim::systemc.
#pragma once

#include <sassim/gpu.h>

#include <cstddef>
#include <memory>
#include <systemc>
#include <tlm>

namespace sassim {

class GpuModule : public sc_core::sc_module {
 public:
  /// Like any module, it is constructed before the simulation starts.
  GpuModule(sc_core::sc_module_name name, const Configuration& configuration);
  ~GpuModule() override;

  /// Channels of the memory with a socket: all if memory.dram.model is tlm, otherwise none. Each must be bound.
  std::size_t channels() const;
  /// Throws Error (usage) for a channel that is not there.
  tlm::tlm_initiator_socket<>& channel(std::size_t number);

  /// For an SC_THREAD: simulates the kernels from the current time on, and returns at the simulated time of the last
  /// end. One thread at a time runs kernels on a GPU; threads of the platform run meanwhile.
  Result run(const Trace& trace, const RunOptions& options = {});

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sassim
