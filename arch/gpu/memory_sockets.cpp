// SPDX-License-Identifier: Apache-2.0
// Sends the accesses of DRAM channels as TLM transactions to a memory model of the user's SystemC platform.
#include "arch/gpu/memory_sockets.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "sim/base/error.h"
#include "sim/config/gpu_config.h"

namespace sassim::arch {

MemorySockets::MemorySockets(const config::GpuConfig& config, std::uint32_t channels)
    : picoseconds_(1e12 / static_cast<double>(config.clock.dram)) {
  for (std::uint32_t i = 0; i < channels; ++i)
    sockets_.push_back(std::make_unique<Initiator>(fmt::format("channel{}", i).c_str()));
}

tlm::tlm_initiator_socket<>& MemorySockets::socket(std::size_t channel) {
  if (channel >= sockets_.size())
    throw UsageError("memory channel {}: {}", channel,
                     sockets_.empty() ? "the GPU has no sockets; they are there if memory.dram.model is tlm"
                                      : fmt::format("the GPU has the channels 0 to {}", sockets_.size() - 1));
  return sockets_[channel]->socket;
}

DramCycle MemorySockets::access(const OutsideAccess& access) {
  const auto at = sc_core::sc_time(static_cast<double>(access.at.value) * picoseconds_, sc_core::SC_PS);
  const sc_core::sc_time begin = at > sc_core::sc_time_stamp() ? at - sc_core::sc_time_stamp() : sc_core::SC_ZERO_TIME;
  sc_core::sc_time delay = begin;
  data_.assign(access.bytes, 0);
  tlm::tlm_generic_payload payload;
  payload.set_command(access.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  payload.set_address(access.address);
  payload.set_data_ptr(data_.data());
  payload.set_data_length(access.bytes);
  payload.set_streaming_width(access.bytes);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  const auto refuse = [&](const std::string& why) {
    throw InputError("memory channel {}: the target of its TLM socket {} a {} of {} bytes at address {:#x}",
                     access.channel, why, access.write ? "write" : "read", access.bytes, access.address);
  };
  try {
    sockets_[access.channel]->socket->b_transport(payload, delay);
  } catch (const sc_core::sc_report& report) {
    refuse(fmt::format("ended with the error '{}' (it must not wait, and adds its time to the delay) at",
                       report.get_msg()));
  }
  if (!payload.is_response_ok()) refuse(fmt::format("answered {} to", payload.get_response_string()));
  if (delay < begin) refuse("answered before it began");
  const double took = (delay - begin) / sc_core::sc_time(1, sc_core::SC_PS);
  return access.at + static_cast<std::uint64_t>(std::ceil(took / picoseconds_));
}

}  // namespace sassim::arch
