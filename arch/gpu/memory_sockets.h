// SPDX-License-Identifier: Apache-2.0
// A TLM-2.0 socket for each DRAM channel whose data come from outside the GPU (docs/tlm.md). Includes headers of
// SystemC.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

#include "arch/memory/dram/outside.h"
#include "sim/config/forward.h"

namespace sassim::arch {

class MemorySockets final : public OutsideMemory {
 public:
  /// Sockets of the module that is being constructed.
  MemorySockets(const config::GpuConfig& config, std::uint32_t channels);

  std::size_t size() const { return sockets_.size(); }
  /// Throws UsageError for a channel that is not there.
  tlm::tlm_initiator_socket<>& socket(std::size_t channel);
  /// Sends the access as one transaction (b_transport). Throws InputError if the target does not answer it, or waits.
  DramCycle access(const OutsideAccess& access) override;

 private:
  struct Initiator {
    explicit Initiator(const char* name) : socket(name) {}
    tlm_utils::simple_initiator_socket<Initiator> socket;
  };
  double picoseconds_;  ///< of a DRAM cycle
  std::vector<std::unique_ptr<Initiator>> sockets_;
  std::vector<unsigned char> data_;  ///< what is read or written has no values: zeros
};

}  // namespace sassim::arch
