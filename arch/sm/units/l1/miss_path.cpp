// SPDX-License-Identifier: Apache-2.0
// Translates the requests of an L1 in its TLBs and sends them to the L2, one per cycle.
#include "arch/sm/units/l1/miss_path.h"

#include <algorithm>
#include <bit>

#include "sim/base/error.h"
#include "sim/config/groups/sm.h"

namespace sassim::arch {

namespace {

/// What leaves the L1 for the L2.
const struct MissPathCounters {
  stats::Count requests{"l1tex__m_l1tex2xbar_req_cycles_active.sum", "cycle", "cycles in which the L1 sent a request"};
  stats::Count write_sectors{"l1tex__m_l1tex2xbar_write_sectors.sum", "sector",
                             "sectors that the L1 wrote to the L2, those of atomics included"};
  stats::Count read_sectors{"sassim__l1_sectors_asked.sum", "sector",
                            "sectors of loads that the L1 requested from the L2"};
  stats::Count write_bytes{"l1tex__m_l1tex2xbar_write_bytes.sum", "byte",
                           "bytes that the L1 wrote to the L2: 32 for each sector of stores and atomics"};
  stats::Count tlb_lookups{"sassim__l1_tlb_lookups.sum", "request", "requests that looked up the first-level TLB"};
  stats::Count tlb_misses{"sassim__l1_tlb_misses.sum", "request", "requests that missed the first-level TLB"};
} kMissPath;

}  // namespace

MissPath::MissPath(const config::Sm& sm, MemoryPort& port, SmId id)
    : sm_(id),
      tlb_(sm.tlb, "sm.tlb"),
      gpc_tlb_(sm.gpc_tlb, "sm.gpc_tlb"),
      port_(port),
      capacity_(sm.l1.miss_queue),
      latency_(sm.l1.miss_latency),
      join_(sm.l1.join_misses),
      tlb_latency_(sm.tlb.latency),
      gpc_tlb_latency_(sm.gpc_tlb.latency),
      of_program_(sm.tlb_scope != "launch"),
      sending_(sm.l1.miss_queue + 4) {
  if (capacity_ == 0) throw InputError("sm.l1.miss_queue is 0: expected at least one request");
}

void MissPath::preload(const std::vector<std::uint64_t>* pages) {
  if (!of_program_) return;
  all_known_ = pages == nullptr;
  if (all_known_) return tlb_.clear();
  for (const std::uint64_t page : *pages) tlb_.insert(page, {RequestKind::translation, 0, sm_, 0});
}

void MissPath::enqueue(const MemRequest& request, Cycle ready) {
  if (sending_.empty()) next_ = ready;
  sending_.push({request, ready});
}

/// The L1 of the GPU joins a miss with the request before it, if that is a load of the same line and was made a short
/// time ago. Here it leaves by itself, and the L2 counts both as one.
bool MissPath::continues(const MemRequest& request, Cycle now) {
  const bool load = request.kind == RequestKind::load;
  const bool joins = join_ != 0 && load && last_.load && last_.address == request.address && last_.tag == request.tag &&
                     now <= last_.time + join_;
  last_ = {request.address, request.tag, load, now};
  return joins;
}

void MissPath::add(const MemRequest& made, Cycle now, std::uint32_t saved) {
  MemRequest request = made;
  request.load.continues = continues(made, now);
  ++counters_.tlb_lookups;
  const Cycle ready = now + (latency_ - std::min(saved, latency_));
  const LineUse use{request.kind, request.pc, sm_, now.value};
  if (all_known_ || tlb_.lookup(request.address, use)) return enqueue(request, ready + tlb_latency_);
  ++counters_.tlb_misses;
  if (gpc_tlb_.enabled() && gpc_tlb_.lookup(request.address, use)) {
    tlb_.insert(request.address, use);
    return enqueue(request, ready + tlb_latency_ + gpc_tlb_latency_);
  }
  waiting_.push_back(request);
  const std::uint64_t page = tlb_.page_of(request.address);
  if (std::find(pages_.begin(), pages_.end(), page) != pages_.end()) return;
  pages_.push_back(page);
  ++counters_.translations;
  MemRequest translation;
  translation.address = page;
  translation.kind = RequestKind::translation;
  translation.pc = request.pc;
  enqueue(translation, ready + tlb_latency_);
}

void MissPath::translated(std::uint64_t page_address, Cycle now) {
  const LineUse use{RequestKind::translation, 0, sm_, now.value};
  tlb_.insert(page_address, use);
  gpc_tlb_.insert(page_address, use);
  pages_.erase(std::remove(pages_.begin(), pages_.end(), page_address), pages_.end());
  std::size_t kept = 0;
  for (const MemRequest& request : waiting_)
    if (tlb_.page_of(request.address) == page_address)
      enqueue(request, now);
    else
      waiting_[kept++] = request;
  waiting_.resize(kept);
}

bool MissPath::cycle(Cycle now) {
  if (sending_.empty() || now < sending_.front().ready) return false;
  const MemRequest& head = sending_.front().request;
  if (!port_.can_send(now, head.data_bytes)) {
    starved_ = true;
    next_ = now + 1;
    return false;
  }
  starved_ = false;
  MemRequest request = head;
  request.time = now;
  ++counters_.requests;
  const auto sectors = static_cast<std::uint64_t>(std::popcount(request.sectors));
  if (request.kind == RequestKind::load) counters_.read_sectors += sectors;
  if (request.kind != RequestKind::load && request.kind != RequestKind::translation) counters_.write_sectors += sectors;
  port_.send(request, now);
  sending_.pop();
  next_ = sending_.empty() ? kNever : std::max(now + 1, sending_.front().ready);
  return true;
}

void MissPath::report(stats::CounterValues& values) const {
  values.sum(kMissPath.requests, counters_.requests);
  values.sum(kMissPath.write_sectors, counters_.write_sectors);
  values.sum(kMissPath.read_sectors, counters_.read_sectors);
  values.sum(kMissPath.write_bytes, counters_.write_sectors * kSectorBytes);
  values.sum(kMissPath.tlb_lookups, counters_.tlb_lookups);
  values.sum(kMissPath.tlb_misses, counters_.tlb_misses);
}

}  // namespace sassim::arch
