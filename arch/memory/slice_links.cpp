// SPDX-License-Identifier: Apache-2.0
// Turns what an L2 slice sends into messages: replies and credits to SMs, fetches and stores to the other half.
#include "arch/memory/slice_links.h"

#include <bit>

#include "sim/config/gpu_config.h"

namespace sassim::arch {

SliceLinks::SliceLinks(const config::GpuConfig& config, const SliceMap& map, const Topology& topology,
                       NetworkPort& network, MemoryChannels& channels, std::vector<L2Slice>& slices,
                       std::uint32_t first)
    : map_(map),
      topology_(topology),
      network_(network),
      channels_(channels),
      slices_(slices),
      l2_to_sm_(ClockRatio<Cycle, L2Cycle>(config.clock.sm, config.clock.l2).inverse()),
      first_(first),
      latency_(config.memory.l2.latency),
      mask_bytes_(config.memory.halves.mask_bytes),
      near_copies_(config.memory.halves.near_copies),
      sequence_(PartitionShape(config.memory).slices) {}

void SliceLinks::reply(SliceId slice, const MemRequest& request, L2Cycle time) {
  if (request.from.is_slice()) {
    // The data occupy the link from the cycle in which the array starts to read.
    const L2Cycle read = time - latency_;
    const auto bytes = static_cast<std::uint32_t>(std::popcount(request.sectors)) * kSectorBytes;
    time = at(slice).port().leave_for_other_half(bytes, read) + latency_;
  }
  MemReply message = answer(request, Cycle{});
  message.from = Endpoint::of_slice(slice);
  message.sequence = sequence_[slice.value - first_]++;
  network_.send(request.from, message, l2_to_sm_.up(time));
}

void SliceLinks::credit(const MemRequest& request, L2Cycle time) {
  if (request.from.is_sm()) network_.return_credit(request.from.sm(), write_sectors(request), l2_to_sm_.up(time));
}

/// A request that a slice sends on account of another request.
MemRequest SliceLinks::own_request(SliceId slice, const MemRequest& cause, RequestKind kind) {
  MemRequest request = cause;
  request.kind = kind;
  request.from = Endpoint::of_slice(slice);
  request.sequence = request_sequence_++;
  return request;
}

void SliceLinks::send_to_twin(SliceId slice, const MemRequest& request, L2Cycle now) {
  network_.send(Endpoint::of_slice(topology_.twin(slice)), request, l2_to_sm_.up(now));
}

void SliceLinks::fetch(SliceId slice, const SliceRequest& cause, std::uint16_t sectors, std::uint32_t pending,
                       L2Cycle time) {
  if (!cause.copy) return channels_.read(slice.value - first_, cause.line, sectors, pending, time);
  MemRequest request{.address = cause.request.address, .tag = pending};
  request.sm = cause.request.sm;
  request.pc = cause.request.pc;
  request.evicts_first = cause.request.evicts_first;
  request = own_request(slice, request, RequestKind::load);
  request.sectors = static_cast<std::uint8_t>(sectors >> map_.place(request.address).first_sector);
  send_to_twin(slice, request, time);
}

/// Passes a request that changes a line of the other half to the line's home. A store also writes the copy in this
/// half.
void SliceLinks::pass_on(SliceId slice, const SliceRequest& cause, L2Cycle now) {
  if (cause.request.kind == RequestKind::store && near_copies_)
    at(slice).write_copy(cause, now);
  else
    at(slice).drop_copy(cause);
  const std::uint32_t data = static_cast<std::uint32_t>(std::popcount(cause.request.sectors)) * kSectorBytes;
  const std::uint32_t mask = cause.request.kind == RequestKind::store && cause.request.partial != 0 ? mask_bytes_ : 0;
  send_to_twin(slice, cause.request, at(slice).port().leave_for_other_half(data + mask, now));
}

/// The invalidation takes the way of replies: if it overtook data of the line, the copy would keep them.
void SliceLinks::invalidate_copy(SliceId slice, const SliceRequest& cause, L2Cycle time) {
  MemRequest request = own_request(slice, cause.request, RequestKind::invalidate);
  request.needs_reply = false;
  SlicePort& port = at(slice).port();
  send_to_twin(slice, request, port.leave_for_other_half(0, port.leave(0, time)) + latency_);
}

}  // namespace sassim::arch
