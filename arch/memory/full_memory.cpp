// SPDX-License-Identifier: Apache-2.0
// Builds the memory behind the SMs (network, TLB, L2, DRAM), exchanges its messages, and fills it before a kernel.
#include "arch/memory/full_memory.h"

#include <algorithm>
#include <cassert>

#include "sim/base/error.h"
#include "sim/base/registry.h"
#include "sim/base/state_archive.h"

namespace sassim::arch {

namespace {

const Registered<MemorySystem, FullMemory, const config::GpuConfig&> full_memory_registered("full");

void check(const config::GpuConfig& config) {
  if (config.clock.sm == 0 || config.clock.l2 == 0 || config.clock.dram == 0)
    throw InputError("clock: no clock may be 0 Hz");
}

}  // namespace

FullMemory::FullMemory(const config::GpuConfig& config)
    : config_((check(config), config)),
      shape_(config.memory),
      map_(config.memory),
      network_(config),
      entry_slice_(map_, network_.topology(), config.memory.halves.near_copies),
      barriers_(config_, network_.topology()),
      translator_(config.memory, config.sm.tlb_scope != "launch", entry_slice_, network_.attach(Endpoint::walker())) {
  for (std::uint32_t i = 0; i < shape_.count; ++i)
    partitions_.push_back(std::make_unique<Partition>(config_, map_, network_, i));
}

std::vector<Component*> FullMemory::components() {
  std::vector<Component*> all{&translator_};
  for (auto& partition : partitions_) all.push_back(partition.get());
  for (Component* part : network_.components()) all.push_back(part);
  return all;
}

/// The endpoint that receives a request of an SM.
Endpoint FullMemory::entry(const MemRequest& request) const {
  if (request.kind == RequestKind::translation) return Endpoint::walker();
  return entry_slice_.towards(request.from, request.kind, home(request));
}

SliceId FullMemory::home(const MemRequest& request) const {
  if (request.home == MemRequest::kNoHome) return map_.place(request.address).slice;
  assert(request.home == map_.place(request.address).slice.value);
  return SliceId(request.home);
}

void FullMemory::save(StateWriter& writer) const { writer(*this); }
void FullMemory::load(StateReader& reader) { reader(*this); }

std::uint32_t FullMemory::outside_channels() const {
  return partitions_.front()->channels().outside() ? shape_.count * shape_.channels : 0;
}

/// The answer to an access that is sent in an epoch arrives after the epoch. Two cycles are lost in rounding between
/// the clocks.
Cycle FullMemory::lookahead() const {
  if (outside_channels() == 0) return network_.lookahead();
  constexpr std::uint64_t kRounding = 4;
  const ClockRatio<DramCycle, Cycle> to_sm(config_.clock.dram, config_.clock.sm);
  const Cycle answer = to_sm.down(DramCycle(config_.memory.dram.fixed_latency - kRounding));
  return std::clamp(answer, Cycle(1), network_.lookahead());
}

/// In order of their times, whatever the length of epochs: accesses in a DRAM cycle that goes on in the next epoch wait
/// for it.
void FullMemory::ask_outside(Cycle now) {
  accesses_.clear();
  const L2Cycle end = ClockRatio<Cycle, L2Cycle>(config_.clock.sm, config_.clock.l2).up(now);
  outside_waits_ = false;
  for (auto& partition : partitions_) {
    partition->channels().send(end, accesses_);
    outside_waits_ = outside_waits_ || partition->channels().unsent();
  }
  std::stable_sort(accesses_.begin(), accesses_.end());
  for (const OutsideAccess& access : accesses_)
    partitions_[access.channel / shape_.channels]->channels().answer(access, outside_->access(access));
  for (auto& partition : partitions_) partition->answered();
}

void FullMemory::exchange(Cycle now) {
  if (outside_ != nullptr) ask_outside(now);
  deliver({}, now);
  settle({}, now);
  shared();
}

/// Who watches sees requests in the order of SMs.
std::size_t FullMemory::to_share() const {
  return outside_ == nullptr && requests_seen_ == nullptr ? network_.messages() : 0;
}

void FullMemory::deliver(Share share, Cycle now) {
  for (SmPort& port : network_.sm_ports()) {
    for (const MemRequest& request : port.sent()) {
      const Endpoint to = entry(request);
      if (of_l1(request.kind)) {
        const SliceId slice = home(request);
        if (share.has(port.sm().value)) barriers_.used(request.from.sm(), slice);
        if (requests_seen_ != nullptr)
          requests_seen_->sent(request, network_.effect(to, Endpoint::of_slice(slice), request));
      }
      network_.send(to, request, request.time, share);
    }
  }
  network_.deliver(share, now);
}

void FullMemory::settle(Share share, Cycle now) {
  network_.settle(share, now);
  translator_.settle(share, now);
  for (auto& partition : partitions_) partition->settle(share, now);
}

void FullMemory::shared() {
  for (SmPort& port : network_.sm_ports()) {
    barriers_.of_fences(port.near_barriers(), port.far_barriers());
    port.clear_sent();
  }
  network_.clear();
}

void FullMemory::start_kernel(bool keep_caches) {
  network_.start_kernel();
  for (auto& partition : partitions_) partition->start_kernel(keep_caches);
  translator_.start_kernel(keep_caches);
  barriers_.start_kernel();
}

void FullMemory::fill_with_others(std::uint64_t written, bool full) {
  const config::L2Config& l2 = config_.memory.l2;
  const std::uint64_t dirty = written / l2.line;
  if (!full && dirty == 0) return;
  for (auto& partition : partitions_)
    partition->fill_with_others(dirty == 0 ? ~0ull : std::max<std::uint64_t>(1, l2.size / l2.line / dirty), full);
}

void FullMemory::preload(const environment::CacheContents& contents) {
  const config::L2Config& l2 = config_.memory.l2;
  // With l2.page, each page starts at a random set, and some sets receive half as many lines as others. Twice the size
  // of the cache fills these sets, too.
  const std::uint64_t most = l2.size * (l2.page == 0 ? 1 : 2);
  // Whole lines only: the rest of a partly written line would have to come from DRAM.
  const std::uint64_t end = (contents.address + contents.bytes) / l2.line * l2.line;
  std::uint64_t at = (contents.address + l2.line - 1) / l2.line * l2.line;
  if (end > at && end - at > most) at = end - most / l2.line * l2.line;
  for (; at < end; at += l2.line) {
    const SliceMap::Place place = map_.place(at);
    if (network_.topology().halves() > 1) {
      const SliceId twin = network_.topology().twin(place.slice);
      partition_of(twin).invalidate_copy(twin, place.line);
    }
    partition_of(place.slice).preload(place.slice, place.line, contents.dirty, contents.ways);
  }
}

MemorySystem::Reads FullMemory::read_by_launch(std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t line = config_.memory.l2.line;
  Reads reads;
  for (std::uint64_t at = address / line * line; at < address + bytes; at += line) {
    const SliceMap::Place place = map_.place(at);
    reads.from_dram += partition_of(place.slice).read_line(place.slice, place.line);
    reads.sectors += line / kSectorBytes;
  }
  return reads;
}

bool FullMemory::idle() const {
  return translator_.idle() && network_.idle() &&
         std::all_of(partitions_.begin(), partitions_.end(), [](const auto& partition) { return partition->idle(); });
}

void FullMemory::check_conservation() const {
  network_.check_conservation();
  for (const auto& partition : partitions_) partition->check_conservation();
  translator_.check_conservation();
}

std::uint64_t FullMemory::held_bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& partition : partitions_) bytes += partition->held_bytes();
  return bytes;
}

void FullMemory::report(stats::CounterValues& values) const {
  network_.report(values);
  for (const auto& partition : partitions_) partition->report(values);
  translator_.report(values);
  barriers_.report(values);
}

void FullMemory::describe_waits(WaitGraph& graph) const {
  network_.describe_waits(graph);
  translator_.describe_waits(graph);
  for (const auto& partition : partitions_) partition->describe_waits(graph);
}

}  // namespace sassim::arch
