// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/partition.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

#include "sim/base/error.h"

namespace sassim::arch {

PartitionShape::PartitionShape(const config::Memory& memory)
    : count(std::gcd(memory.l2.slices, memory.dram.channels)),
      slices(memory.l2.slices / std::max(count, 1u)),
      channels(memory.dram.channels / std::max(count, 1u) * memory.dram.pseudo_channels) {
  if (memory.l2.slices == 0) throw InputError("memory.l2.slices is 0; a GPU has at least one");
  if (channels == 0) throw InputError("memory.dram.channels or pseudo_channels is 0; a GPU has at least one");
  if (memory.l2.partitions != 1 && (memory.l2.partitions != 2 || count % 2 != 0))
    throw InputError(
        "memory.halves.parts is {}; expected 1, or 2 when memory.l2.slices and memory.dram.channels ({} and {}) can be "
        "divided between two halves",
        memory.l2.partitions, memory.l2.slices, memory.dram.channels);
}

Partition::Partition(const config::GpuConfig& config, const SliceMap& map, Network& network, std::uint32_t index)
    : map_(map),
      config_(config.memory),
      topology_(network.topology()),
      network_(network.attach(Endpoint::of_slice(index * PartitionShape(config.memory).slices),
                              PartitionShape(config.memory).slices)),
      index_(index),
      first_slice_(index * PartitionShape(config.memory).slices),
      dram_map_(config.memory.dram, config.memory.l2, first_slice_, PartitionShape(config.memory).slices,
                PartitionShape(config.memory).channels),
      sm_to_l2_(config.clock.sm, config.clock.l2),
      l2_to_sm_(sm_to_l2_.inverse()),
      l2_to_dram_(config.clock.l2, config.clock.dram),
      dram_to_l2_(l2_to_dram_.inverse()),
      burst_bytes_(config.memory.dram.bus_bits / 8 * config.memory.dram.burst) {
  const PartitionShape shape(config.memory);
  if (burst_bytes_ == 0 || (burst_bytes_ % kSectorBytes != 0 && kSectorBytes % burst_bytes_ != 0))
    throw InputError("memory.dram: a burst of {} x {} bits is {} bytes; expected a divisor or multiple of a sector",
                     config.memory.dram.burst, config.memory.dram.bus_bits, burst_bytes_);
  slices_.reserve(shape.slices);
  for (std::uint32_t i = 0; i < shape.slices; ++i)
    slices_.emplace_back(config.memory.l2, config.memory.crossbar, first_slice_ + i,
                         static_cast<L2Slice::Links&>(*this));
  for (std::uint32_t i = 0; i < shape.channels; ++i)
    dram_.push_back(Drams::instance().make(config.memory.dram.model, config.memory.dram, index * shape.channels + i));
  sequence_.resize(shape.slices);
}

L2Cycle Partition::next_l2() const {
  L2Cycle next = fills_.empty() ? kNeverL2 : fills_.front().time;
  const auto at = [this](const auto& inbox) { return inbox.empty() ? kNeverL2 : sm_to_l2_.up(inbox.front().time); };
  next = std::min({next, at(network_.requests()), at(network_.replies())});
  for (const L2Slice& slice : slices_) next = std::min(next, slice.next_event());
  return next;
}

DramCycle Partition::next_dram(std::size_t& channel) const {
  DramCycle next = kNeverDram;
  for (std::size_t i = 0; i < dram_.size(); ++i)
    if (dram_[i]->next_event() < next) {
      next = dram_[i]->next_event();
      channel = i;
    }
  return next;
}

void Partition::plan() {
  std::size_t channel = 0;
  const L2Cycle next = std::min(next_l2(), dram_to_l2_.down(next_dram(channel)));
  next_ = l2_to_sm_.down(next);
}

/// Handles the cycles of both clocks in one order. An L2 cycle comes before the DRAM cycle at or after it, so that DRAM
/// sees what the slices send in that cycle. Data from DRAM reach the slices in the next L2 cycle.
void Partition::advance(Cycle until) {
  const L2Cycle end = sm_to_l2_.up(until);
  const DramCycle dram_end = l2_to_dram_.up(end);
  for (;;) {
    std::size_t channel = 0;
    const L2Cycle l2 = next_l2();
    const DramCycle dram = next_dram(channel);
    if (dram != kNeverDram && (l2 == kNeverL2 || l2_to_dram_.up(l2) > dram)) {
      if (dram >= dram_end) break;
      step_dram(channel, dram);
    } else {
      if (l2 >= end) break;
      step_l2(l2);
    }
  }
  plan();
}

/// Performs one action: a fill first, since fills make room; else an arrival; else the work of a slice.
void Partition::step_l2(L2Cycle now) {
  if (!fills_.empty() && fills_.front().time <= now) {
    std::pop_heap(fills_.begin(), fills_.end(), std::greater<>{});
    const Fill fill = fills_.back();
    fills_.pop_back();
    slices_[fill.slice].filled(fill.pending, fill.sectors, now);
  } else if (auto& replies = network_.replies(); !replies.empty() && sm_to_l2_.up(replies.front().time) <= now) {
    const MemReply fill = replies.front();
    replies.pop();
    take(fill, now);
  } else if (auto& requests = network_.requests(); !requests.empty() && sm_to_l2_.up(requests.front().time) <= now) {
    const MemRequest request = requests.front();
    requests.pop();
    take(request, now);
  } else {
    for (L2Slice& slice : slices_)
      if (slice.next_event() <= now) return slice.work(now);
  }
}

void Partition::step_dram(std::size_t channel, DramCycle now) {
  dram_[channel]->work(now, *this);
  for (std::uint32_t i = 0; i < slices_.size(); ++i)
    if (slices_[i].waits_for_writes() && can_write_back(first_slice_ + i)) slices_[i].unblock(dram_to_l2_.up(now));
}

void Partition::take(const MemRequest& request, L2Cycle now) {
  const SliceMap::Place place = map_.place(request.address);
  const std::uint32_t slice = request.to.slice();
  const bool copy = place.slice != slice;  // copies are in the twin of the home slice
  SliceRequest r{.request = request, .line = place.line, .copy = copy};
  r.sectors = static_cast<std::uint16_t>(request.sectors << place.first_sector);
  r.partial = static_cast<std::uint16_t>(request.partial << place.first_sector);
  r.passed_on = request.from.is_sm() && topology_.apart(request.from, request.to);
  if (config_.l2.code_by_gpc && is_code(request.kind) && request.from.is_sm()) {
    r.by_gpc = true;
    r.gpc = topology_.gpc(request.from.sm());
  }
  if (copy && changes_line(request.kind) && !slices_[local(slice)].holds(r))
    return pass_on(slice, r, slices_[local(slice)].port().admit(request, now));
  if (observer_ != nullptr && !(copy && changes_line(request.kind))) observe(slice, r);
  slices_[local(slice)].arrive(r, now);
}

void Partition::observe(std::uint32_t slice, const SliceRequest& r) {
  if (r.request.kind == RequestKind::invalidate) return;
  const bool store = r.request.kind == RequestKind::store;
  observer_->l2_access(slice, {LineTag{r.line, r.copy}.code(), r.sectors, r.partial,
                               store ? CacheAccess::Kind::write : CacheAccess::Kind::read});
}

/// Sectors of a copy have arrived from the other half.
void Partition::take(const MemReply& fill, L2Cycle now) {
  const SliceMap::Place place = map_.place(fill.address);
  slices_[local(fill.to.slice())].filled(fill.tag, static_cast<std::uint16_t>(fill.sectors << place.first_sector), now);
}

void Partition::reply(std::uint32_t slice, const MemRequest& request, L2Cycle time) {
  if (request.from.is_slice()) {
    // The data occupy the link from the cycle in which the array starts to read.
    const L2Cycle read = time - config_.l2.latency;
    const auto bytes = static_cast<std::uint32_t>(std::popcount(request.sectors)) * kSectorBytes;
    time = slices_[local(slice)].port().leave_for_other_half(bytes, read) + config_.l2.latency;
  }
  MemReply message = answer(request, Cycle{});
  message.from = Endpoint::of_slice(slice);
  message.sequence = sequence_[local(slice)]++;
  network_.send(request.from, message, l2_to_sm_.up(time));
}

void Partition::credit(const MemRequest& request, L2Cycle time) {
  if (request.from.is_sm()) network_.return_credit(request.from.sm(), write_sectors(request), l2_to_sm_.up(time));
}

/// A request that a slice sends on account of another request.
MemRequest Partition::own_request(std::uint32_t slice, const MemRequest& cause, RequestKind kind) {
  MemRequest request = cause;
  request.kind = kind;
  request.from = Endpoint::of_slice(slice);
  request.sequence = request_sequence_++;
  return request;
}

void Partition::send_to_twin(std::uint32_t slice, const MemRequest& request, L2Cycle now) {
  network_.send(Endpoint::of_slice(topology_.twin(slice)), request, l2_to_sm_.up(now));
}

void Partition::fetch(std::uint32_t slice, const SliceRequest& cause, std::uint16_t sectors, std::uint32_t pending,
                      L2Cycle time) {
  if (cause.copy) {
    MemRequest request{.address = cause.request.address, .tag = pending};
    request.sm = cause.request.sm;
    request.pc = cause.request.pc;
    request.evicts_first = cause.request.evicts_first;
    request = own_request(slice, request, RequestKind::load);
    request.sectors = static_cast<std::uint8_t>(sectors >> map_.place(request.address).first_sector);
    return send_to_twin(slice, request, time);
  }
  if (free_reads_.empty()) {
    free_reads_.push_back(static_cast<std::uint32_t>(reads_.size()));
    reads_.emplace_back();
  }
  const std::uint32_t tag = free_reads_.back();
  free_reads_.pop_back();
  reads_[tag] = {local(slice), pending, sectors};
  access(local(slice), cause.line, sectors, false, tag, time);
}

void Partition::write_back(std::uint32_t slice, std::uint64_t line, std::uint16_t sectors, L2Cycle time) {
  access(local(slice), line, sectors, true, 0, time);
}

void Partition::access(std::uint32_t slice, std::uint64_t line, std::uint16_t sectors, bool write, std::uint32_t tag,
                       L2Cycle time) {
  const DramMap::Place place = dram_map_.place(slice, line);
  DramAccess access{.row = place.row, .bank = place.bank, .tag = tag, .write = write};
  if (burst_bytes_ <= kSectorBytes) {
    access.bursts = static_cast<std::uint32_t>(std::popcount(sectors)) * (kSectorBytes / burst_bytes_);
  } else {
    const std::uint32_t step = std::min(burst_bytes_ / kSectorBytes, 16u);  // one burst for all sectors of a line
    access.bursts = 0;
    for (std::uint32_t left = sectors; left != 0; left = left >> step)
      access.bursts += (left & ((1u << step) - 1)) != 0;
  }
  access.checks = config_.dram.ecc == "inline" ? 1 : 0;
  dram_[place.channel]->accept(access, l2_to_dram_.up(time));
}

bool Partition::can_write_back(std::uint32_t) const {
  return std::all_of(dram_.begin(), dram_.end(),
                     [this](const auto& d) { return d->writes_waiting() < config_.dram.write_queue; });
}

/// Passes a request that changes a line of the other half to the line's home. A store also writes the copy in this
/// half.
void Partition::pass_on(std::uint32_t slice, const SliceRequest& cause, L2Cycle now) {
  SlicePort& port = slices_[local(slice)].port();
  if (cause.request.kind == RequestKind::store && config_.l2.near_copies)
    slices_[local(slice)].write_copy(cause, now);
  else
    slices_[local(slice)].drop_copy(cause);
  const auto bytes = static_cast<std::uint32_t>(std::popcount(cause.request.sectors)) * kSectorBytes;
  send_to_twin(slice, cause.request, port.leave_for_other_half(bytes, now));
}

/// The invalidation takes the way of replies: if it overtook data of the line, the copy would keep them.
void Partition::invalidate_copy(std::uint32_t slice, const SliceRequest& cause, L2Cycle time) {
  MemRequest request = own_request(slice, cause.request, RequestKind::invalidate);
  request.needs_reply = false;
  SlicePort& port = slices_[local(slice)].port();
  send_to_twin(slice, request, port.leave_for_other_half(0, port.leave(0, time)) + config_.l2.latency);
}

void Partition::read_done(std::uint32_t tag, DramCycle end) {
  const Read& read = reads_[tag];
  fills_.push_back({dram_to_l2_.up(end) + config_.dram.latency, fill_order_++, read.slice, read.pending, read.sectors});
  std::push_heap(fills_.begin(), fills_.end(), std::greater<>{});
  free_reads_.push_back(tag);
}

}  // namespace sassim::arch
