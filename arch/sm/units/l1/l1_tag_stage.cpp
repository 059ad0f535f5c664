// SPDX-License-Identifier: Apache-2.0
// The tag stage of the L1: one pass of one instruction per cycle, line by line, and longer where it is narrow.
#include <algorithm>

#include "arch/sm/units/l1/l1_cache.h"
#include "sim/config/groups/l1.h"

namespace sassim::arch {

namespace {

/// Cycles until the sectors of a line have left the tag stage.
std::uint32_t cycles_of(const LineAccess& line, const config::L1Config& l1) {
  if (l1.tag_bytes == 0) return 1;
  const auto bytes = static_cast<std::uint32_t>(sector_count(line.sectors)) * l1.sector;
  return std::max(1u, (bytes + l1.tag_bytes - 1) / l1.tag_bytes);
}

}  // namespace

/// One pass of the oldest instruction, if its lines have room now. An instruction without room waits until a reply or a
/// departing request makes some.
void L1Cache::tag_stage(Cycle now) {
  L1Access& access = queue_.front();
  if (access.position == 0) {
    // The data stage may be behind by at most as many cycles as the queue has entries.
    if (const Cycle room = now + queue_.capacity(); returns_.hits_until() > room) {
      next_tags_ = now + (returns_.hits_until() - room).value;
      return;
    }
    returns_[access.op].first_pass = now;
  }
  const LineAccesses& accesses = access.accesses;
  std::uint32_t cycles = 1;
  if (access.position < accesses.count) {
    const std::uint8_t pass = accesses.lines[access.position].pass;
    const std::uint32_t first = access.position;
    for (; access.position < accesses.count && accesses.lines[access.position].pass == pass; ++access.position) {
      const LineAccess& line = accesses.lines[access.position];
      if (!look_up(access, line, now)) {
        next_tags_ = kNever;
        return;
      }
      cycles = std::max(cycles, cycles_of(line, core_.config));
    }
    if (access.mode == L1Mode::store)
      cycles = std::max(cycles, core_.config.store_interval * (access.position - first));
    if (cycles > 1 || access.mode == L1Mode::store) busy_until_ = now + cycles;
  }
  if (access.position == accesses.count) {
    returns_.tags_done(access.op, now);
    queue_.pop();
  }
  next_tags_ = next_pass(now);
}

Cycle L1Cache::next_pass(Cycle now) const {
  const Cycle free = std::max(now + 1, busy_until_);
  return queue_.empty() ? kNever : std::max(free, queue_.front().ready);
}

bool L1Cache::look_up(L1Access& access, const LineAccess& line, Cycle now) {
  bool done = false;
  switch (access.mode) {
    case L1Mode::load:
    case L1Mode::async:
      done = loads_.look_up(access, line, now);
      break;
    case L1Mode::store:
      done = stores_.store(access, line, now);
      break;
    case L1Mode::atomic:
    case L1Mode::reduction:
      done = stores_.change(access, line, now);
      break;
  }
  if (done) {
    L1Counters::PerTraffic& counters = core_.counters[access.traffic];
    ++counters.tags;
    counters.sectors += std::max<std::uint64_t>(sector_count(line.sectors), line.places);
    if (core_.observer != nullptr) observe(access, line);
  }
  return done;
}

void L1Cache::observe(const L1Access& access, const LineAccess& line) {
  CacheAccess seen{line.address, line.sectors, line.partial, CacheAccess::Kind::read};
  if (access.mode == L1Mode::store) seen.kind = CacheAccess::Kind::write;
  if (access.mode == L1Mode::atomic || access.mode == L1Mode::reduction || access.bypass)
    seen.kind = CacheAccess::Kind::pass_by;
  core_.observer->l1_access(core_.sm_id, seen);
}

}  // namespace sassim::arch
