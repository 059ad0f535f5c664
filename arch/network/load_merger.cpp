// SPDX-License-Identifier: Apache-2.0
// Merges loads of the same sectors by SMs of one GPC, and gives the one reply to each of them.
#include "arch/network/load_merger.h"

#include <algorithm>
#include <bit>

namespace sassim::arch {

LoadMerger::LoadMerger(const config::CrossbarConfig& config, Cycle lookahead)
    : config_(config), lookahead_(lookahead), recent_(kRecent) {}

void LoadMerger::settle(Cycle now) {
  requests_.settle(now);
  held_.settle(now);
}

Cycle LoadMerger::next_event() const {
  const Cycle held = held_.empty() ? kNever : held_.front().time;
  return requests_.empty() ? held : std::min(held, requests_.front().time);
}

void LoadMerger::advance(Cycle until) {
  for (; !requests_.empty() && requests_.front().time < until; requests_.pop()) {
    const MemRequest& request = requests_.front();
    if (!may_merge(request) || !join(request)) pass(request);
  }
  for (; !held_.empty() && held_.front().time < until; held_.pop()) give_out(held_.front().reply);
}

namespace {

/// Loads that pass the network together.
const struct MergerCounters {
  stats::Count requests{"sassim__xbar_requests_merged.sum", "request",
                        "loads that merged with the load of another SM of the GPC"};
  stats::Count sectors{"sassim__xbar_sectors_merged.sum", "sector",
                       "sectors of loads that merged with the load of another SM"};
} kMerged;
std::size_t place_of(const MemRequest& request, std::size_t places) {
  return static_cast<std::size_t>((request.address / 128 * 0x9e3779b97f4a7c15ull) >> 40) % places;
}
}  // namespace

/// Merges the load with one of the same sectors that passed a short time ago; false if there is none.
bool LoadMerger::join(const MemRequest& request) {
  const Recent& recent = recent_[place_of(request, kRecent)];
  if (recent.address != request.address || recent.sectors != request.sectors ||
      recent.time + Cycle{config_.merge.window} <= request.time)
    return false;
  Load& load = loads_[recent.load];
  if (load.count >= most(request)) return false;
  ++load.count;
  if (free_joined_ == kNone) {
    free_joined_ = static_cast<std::uint32_t>(joined_.size());
    joined_.push_back({Endpoint{}, 0, 0, kNone});
  }
  const std::uint32_t place = free_joined_;
  free_joined_ = joined_[place].next;
  joined_[place] = {request.from, request.client, request.tag, load.first};
  load.first = place;
  credits_.push_back({request.time, request.from.sm(), 0});
  ++merged_requests_;
  merged_sectors_ += static_cast<std::uint64_t>(std::popcount(request.sectors));
  return true;
}

void LoadMerger::pass(MemRequest request) {
  if (may_merge(request)) {
    if (free_load_ == kNone) {
      free_load_ = static_cast<std::uint32_t>(loads_.size());
      loads_.push_back({Cycle{}, 0, kNone, kNone});
    }
    const std::uint32_t load = free_load_;
    free_load_ = loads_[load].next;
    loads_[load] = {request.time, 1, kNone, kNone};
    recent_[place_of(request, kRecent)] = {request.address, request.sectors, load, request.time};
    request.merger = load + 1;
    ++open_;
  }
  sent_.push_back(request);
}

/// A reply waits until no more loads may join. It is due at the SMs after that time anyway.
void LoadMerger::deliver(const MemReply& reply, Cycle now) {
  const Cycle closed = loads_[reply.merger - 1].time + Cycle{config_.merge.window};
  if (closed <= now)
    give_out(reply);
  else
    held_.add({closed, reply});
}

void LoadMerger::give_out(const MemReply& reply) {
  const std::uint32_t index = reply.merger - 1;
  Load& load = loads_[index];
  MemReply message = reply;
  message.merger = 0;
  // A merge window as long as the round trip to the L2 delays the reply, because further loads may join until it ends.
  // The delay must not depend on where epochs end.
  message.time = std::max(message.time, load.time + Cycle{config_.merge.window} + lookahead_);
  replies_.push_back(message);
  for (std::uint32_t place = load.first; place != kNone;) {
    Joined& joined = joined_[place];
    message.to = joined.from;
    message.client = joined.client;
    message.tag = joined.tag;
    replies_.push_back(message);
    const std::uint32_t next = joined.next;
    joined.next = free_joined_;
    free_joined_ = place;
    place = next;
  }
  load.next = free_load_;
  free_load_ = index;
  --open_;
}

void LoadMerger::report(stats::CounterValues& values) const {
  values.sum(kMerged.requests, merged_requests_);
  values.sum(kMerged.sectors, merged_sectors_);
}

}  // namespace sassim::arch
