// SPDX-License-Identifier: Apache-2.0
// How a slice of the L2 serves loads, stores and atomics: hit, miss, victim, fill, reply, and copies of the other half.
#include "arch/memory/l2_slice.h"

#include <algorithm>
#include <bit>

#include "arch/memory/dram/dram.h"

namespace sassim::arch {

L2Slice::L2Slice(const config::Memory& memory, SliceId index, Links& links)
    : config_(memory.l2),
      halves_(memory.halves),
      index_(index),
      links_(links),
      sets_(memory),
      tags_({.sets = sets_.count(), .ways = config_.ways}, config_.replacement),
      lines_(tags_.slots()),
      pending_(config_.pending_requests),
      reserved_((config_.pending_requests + 3) / 4),
      port_(memory),
      array_(config_.bytes_per_cycle),
      atomics_(config_) {
  for (std::uint32_t i = config_.pending_requests; i > 0; --i) free_pending_.push_back(i - 1);
}

std::uint64_t L2Slice::sector_bytes(std::uint16_t sectors) const {
  return static_cast<std::uint64_t>(std::popcount(sectors)) * kSectorBytes;
}

/// Occupies the data array for `bytes`, at least for one cycle; returns the first of these cycles.
L2Cycle L2Slice::occupy(L2Cycle now, std::uint64_t bytes) {
  bytes = std::max(bytes, std::uint64_t{config_.bytes_per_cycle});
  const L2Cycle start = std::max(now, array_.free_at());
  array_.occupy(now, static_cast<std::uint32_t>(bytes));
  counters_.busy_bytes += bytes;
  return start;
}

/// Occupies the data array for a request, which meanwhile blocks the requests behind it. A request that needs only the
/// tags takes one cycle.
L2Cycle L2Slice::look_up(L2Cycle now, std::uint64_t bytes) {
  const L2Cycle start = bytes == 0 ? now : occupy(now, bytes);
  busy_until_ = bytes == 0 ? now + 1 : array_.free_at();
  return start;
}

void L2Slice::arrive(SliceRequest request, L2Cycle now) {
  const bool from_slice = request.request.from.is_slice();
  request.arrived = now;
  request.ready = from_slice || request.passed_on ? now : port_.admit(request.request, now);
  if (is_held(request)) ++tally_.held_stores;
  inputs_[from_slice ? 1 : 0].queue.push(request);
}

void L2Slice::work(L2Cycle now) {
  Input& input = inputs_[ready_from_slices() <= now ? 1 : 0];
  const SliceRequest& head = input.queue.front();
  if (!serve(head, now)) {
    input.blocked = true;
    blocked_by_writes_ = !links_.can_write_back(index_);
    ++counters_.requests.blocked;
    return;
  }
  if (!is_held(head)) links_.credit(head.request, now);  // else the line's home returns it
  input.queue.pop();
}

bool L2Slice::serve(const SliceRequest& r, L2Cycle now) {
  if (r.request.kind == RequestKind::invalidate) {
    drop_copy(r);
    counters_.notice.add({1, 1, 1, 0});
    counters_.fabric.add({1, 1, 1, 0});
    look_up(now, 0);
    return true;
  }
  if (is_held(r)) return pass_on(r, now);
  return r.request.kind == RequestKind::store ? write(r, now) : read(r, now);
}

bool L2Slice::in_flight(const SliceRequest& r) const {
  const std::size_t line = tags_.find(set_of(r), tag_of(r));
  return line != TagArray::kNone && lines_[line].pending != kNoPending;
}

/// A store of a line of the other half that had to wait. If it passed while data of the copy are on their way, they
/// would overwrite it there.
bool L2Slice::pass_on(const SliceRequest& store, L2Cycle now) {
  if (in_flight(store)) return false;
  --tally_.held_stores;
  look_up(now, 0);
  links_.pass_on(index_, store, now);
  return true;
}

/// `hit`: sectors that are present or in flight.
void L2Slice::count_lookup(const SliceRequest& r, std::uint16_t hit) {
  if (r.request.needs_reply) ++counters_.requests.expected;
  const std::uint16_t counted = r.by_gpc ? gpc_reads_.first(r.gpc, tag_of(r), r.sectors) : r.sectors;
  if (r.by_gpc && counted == 0) return;
  const auto sectors = static_cast<std::uint64_t>(std::popcount(counted));
  const auto hits = static_cast<std::uint64_t>(std::popcount(static_cast<std::uint16_t>(hit & counted)));
  const L2Counters::Lookups lookup{r.request.load.continues ? 0u : 1u, sectors, hits, 0};
  // The slice at which a request of the other half entered only passed it on, and counted hits.
  const L2Counters::Lookups entered = r.passed_on ? L2Counters::Lookups{lookup.requests, sectors, sectors, 0} : lookup;
  L2Counters::Lookups& by_operation = counters_.of(r.request.kind);
  by_operation.add(entered);
  L2Counters::Lookups& by_sender = source(r.request);
  by_sender.add(entered);
  if (&by_sender == &counters_.tex && r.request.kind == RequestKind::load) counters_.tex_read.add(entered);
  if (&by_sender == &counters_.tex && r.request.kind == RequestKind::store) counters_.tex_write.add(entered);
  if (r.request.kind == RequestKind::instruction) counters_.sectors.instruction += sectors;
  if (r.request.kind == RequestKind::constant) counters_.sectors.constant += sectors;
  if (!r.passed_on) return;
  by_operation.add(lookup);
  counters_.fabric.add(lookup);
}

/// Sectors that a request fetches are misses, also those that it does not want.
void L2Slice::count_fetch(const SliceRequest& r, std::uint64_t sectors) {
  counters_.sectors.fetched += sectors;
  if (r.copy) counters_.sectors.fetched_other_half += sectors;
  counters_.of(r.request.kind).misses += sectors;
  (r.passed_on ? counters_.fabric : source(r.request)).misses += sectors;
}

L2Counters::Lookups& L2Slice::source(const MemRequest& request) {
  if (request.from.is_slice()) return counters_.fabric;
  if (request.from.is_walker()) return counters_.walker;
  return is_code(request.kind) ? counters_.code : counters_.tex;
}

/// Reads of all kinds, and atomics, which read their sectors too.
bool L2Slice::read(const SliceRequest& r, L2Cycle now) {
  const std::size_t line = tags_.find(set_of(r), tag_of(r));
  if (line == TagArray::kNone || (r.sectors & ~lines_[line].valid) != 0) return miss(r, line, now);
  count_lookup(r, r.sectors);
  used(line, r, now);
  finish(r, lines_[line], look_up(now, sector_bytes(r.sectors)));
  return true;
}

bool L2Slice::miss(const SliceRequest& r, std::size_t line, L2Cycle now) {
  const bool merges = line != TagArray::kNone && lines_[line].pending != kNoPending;
  if (!merges && free_pending_.size() <= (r.copy ? reserved_ : 0)) return false;
  if (line == TagArray::kNone && (line = allocate(r, now)) == TagArray::kNone) return false;
  Line& state = lines_[line];
  const std::uint16_t in_flight = merges ? pending_[state.pending].sectors : std::uint16_t{0};
  const std::uint16_t own =
      merges && r.request.load.continues ? fetched_before(r, pending_[state.pending]) : std::uint16_t{0};
  count_lookup(r, static_cast<std::uint16_t>(state.valid | (in_flight & ~own)));
  used(line, r, now);
  if (merges)
    ++counters_.requests.merged;
  else
    start_fill(line, 0, false);
  Pending& entry = pending_[state.pending];
  entry.waiting.push_back(r);
  const auto wanted = static_cast<std::uint16_t>(r.sectors & ~state.valid & ~entry.sectors);
  const auto joined = static_cast<std::uint16_t>(r.sectors & ~state.valid & ~wanted);
  counters_.sectors.pending_hits += static_cast<std::uint64_t>(std::popcount(joined));
  look_up(now, 0);
  if (wanted == 0) return true;
  // The half in which a request of an SM arrives also fetches neighbouring sectors; the other half does not.
  const bool exact = r.passed_on || r.request.from.is_slice();
  const auto fetched = exact ? wanted : static_cast<std::uint16_t>(widen(wanted, state) & ~entry.sectors);
  entry.sectors |= fetched;
  entry.waiting.back().fetched = fetched;
  count_fetch(r, static_cast<std::uint64_t>(std::popcount(fetched)));
  links_.fetch(index_, r, fetched, state.pending, now);
  return true;
}

/// Sectors that come because of the requests that this one continues.
std::uint16_t L2Slice::fetched_before(const SliceRequest& r, const Pending& entry) {
  std::uint16_t sectors = 0;
  for (const SliceRequest& other : entry.waiting)
    if (other.request.from == r.request.from && other.request.client == r.request.client &&
        other.request.tag == r.request.tag && other.request.kind == r.request.kind)
      sectors |= other.fetched;
  return sectors;
}

/// The wanted sectors with those that are fetched with them, because a read of DRAM covers more than one sector.
std::uint16_t L2Slice::widen(std::uint16_t wanted, const Line& line) const {
  const std::uint32_t step = config_.fetch / kSectorBytes;
  const std::uint32_t all = (1u << step) - 1;
  std::uint32_t result = 0;
  for (std::uint32_t first = 0; first < config_.line / kSectorBytes; first += step)
    if ((wanted >> first & all) != 0) result |= all << first;
  return static_cast<std::uint16_t>(result & ~line.valid);
}

bool L2Slice::write(const SliceRequest& r, L2Cycle now) {
  std::size_t line = tags_.find(set_of(r), tag_of(r));
  const bool through = config_.write == "through";
  if (through && !links_.can_write_back(index_)) return false;
  if (!through && !may_become_dirty(r, line)) return false;
  if (line == TagArray::kNone && (line = allocate(r, now)) == TagArray::kNone) return false;
  Line& state = lines_[line];
  count_lookup(r, r.sectors);  // a write fetches nothing
  used(line, r, now);
  const auto written = static_cast<std::uint16_t>(r.sectors & ~r.partial);
  state.valid |= written;
  state.merged &= static_cast<std::uint16_t>(~written);
  if (config_.byte_masks && r.partial != 0) note_bytes(r, state);
  if (through) {
    counters_.sectors.written_back += static_cast<std::uint64_t>(std::popcount(r.sectors));
    counters_.sectors.written_back_partial += static_cast<std::uint64_t>(std::popcount(r.partial));
    links_.write_back(index_, r.line, r.sectors, now);
  } else {
    state.dirty |= r.sectors;
    limit_dirty(line, now);
  }
  finish(r, state, look_up(now, write_time(r, state, now)));
  return true;
}

/// The time of a store in the data array, as bytes.
std::uint64_t L2Slice::write_time(const SliceRequest& r, Line& line, L2Cycle now) {
  const auto parts = static_cast<std::uint64_t>(std::popcount(r.partial));
  const auto whole = static_cast<std::uint64_t>(std::popcount(r.sectors)) - parts;
  const std::uint64_t least = parts != 0 ? config_.write_merge : 0;
  const std::uint64_t bytes = std::max(whole * config_.write_sector + parts * config_.write_partial, least);
  return line.copied && !r.passed_on ? std::max(bytes, wait_for_invalidation(line, now)) : bytes;
}

/// A store invalidates the copy in the other half. While that of an earlier store is under way, the array waits.
std::uint64_t L2Slice::wait_for_invalidation(Line& line, L2Cycle now) {
  if (halves_.invalidation_interval == 0) return 0;
  L2Cycle& until = rare(line).invalidated;
  const L2Cycle start = std::max(until, now);
  until = start + halves_.invalidation_interval;
  return (start - now).value * config_.bytes_per_cycle;
}

/// Finds a way for a new tag: an empty one, or that of a victim, which is written back if it is dirty. kNone: none now.
std::size_t L2Slice::allocate(const SliceRequest& r, L2Cycle now) {
  if (!links_.can_write_back(index_)) return TagArray::kNone;
  const std::size_t set = set_of(r);
  if (r.copy && copies_in_flight(set) + 1 >= tags_.ways()) return TagArray::kNone;
  const auto free = [this](std::size_t candidate) { return lines_[candidate].pending == kNoPending; };
  std::size_t line = choose(set, tag_of(r), use(r, now), r.request.evicts_first, free);
  if (line == TagArray::kNone) return line;
  // A partly written line is completed from DRAM before it is evicted; meanwhile another line is the victim. If there
  // is no other line, it is evicted as it is, because waiting could end in a deadlock: the other half may wait for
  // requests behind this one.
  if (tags_.line_at(line) != TagArray::kEmpty && partial(lines_[line]) != 0) {
    if (config_.dirty.partial_ways != 0 && free_pending_.size() > reserved_ + 1) clean(line, now);
    const std::size_t other = tags_.choose(set, tag_of(r), use(r, now), [&](std::size_t candidate) {
      return free(candidate) && partial(lines_[candidate]) == 0;
    });
    if (other != TagArray::kNone)
      line = other;
    else if (!free(line))
      return TagArray::kNone;
  }
  if (tags_.line_at(line) != TagArray::kEmpty) evict(line, now);
  set_leaving(line, Leaving::ordinary);
  reset(lines_[line]);
  tags_.fill(line, tag_of(r), use(r, now));
  return line;
}

std::uint32_t L2Slice::copies_in_flight(std::size_t set) const {
  std::uint32_t count = 0;
  for (std::size_t line = set * tags_.ways(); line < (set + 1) * tags_.ways(); ++line)
    if (lines_[line].pending != kNoPending && LineTag::of(tags_.line_at(line)).copy) ++count;
  return count;
}

void L2Slice::evict(std::size_t line, L2Cycle now) {
  if (lines_[line].dirty != 0) write_back(line, now);
}

void L2Slice::drop_copy(const SliceRequest& r) {
  const std::size_t line = tags_.find(set_of(r), tag_of(r));
  if (line == TagArray::kNone) return;
  ++counters_.invalidations;
  lines_[line].valid = 0;
  if (lines_[line].pending != kNoPending) return;
  set_leaving(line, Leaving::ordinary);
  tags_.drop(line);
}

void L2Slice::write_copy(const SliceRequest& r, L2Cycle now) {
  const auto whole = static_cast<std::uint16_t>(r.sectors & ~r.partial);
  std::size_t line = tags_.find(set_of(r), tag_of(r));
  if (line == TagArray::kNone && (whole == 0 || (line = allocate(r, now)) == TagArray::kNone)) return;
  used(line, r, now);
  lines_[line].valid |= whole;
}

void L2Slice::filled(std::uint32_t pending, std::uint16_t sectors, L2Cycle now) {
  Pending& entry = pending_[pending];
  Line& state = lines_[entry.line];
  counters_.sectors.filled += static_cast<std::uint64_t>(std::popcount(sectors));
  state.valid |= sectors;
  state.merged &= static_cast<std::uint16_t>(~sectors);
  entry.sectors &= static_cast<std::uint16_t>(~sectors);
  occupy(now, sector_bytes(sectors));
  std::size_t kept = 0;
  for (SliceRequest& waiting : entry.waiting) {
    if ((waiting.sectors & entry.sectors) == 0)
      finish(waiting, state, now);
    else
      entry.waiting[kept++] = waiting;
  }
  entry.waiting.resize(kept);
  unblock(now);
  if (entry.sectors != 0) return;
  state.pending = kNoPending;
  free_pending_.push_back(pending);
  if (entry.write_back && state.dirty != 0) clean(entry.line, now);
}

/// The data of the request are present: executes an atomic, and replies.
void L2Slice::finish(const SliceRequest& r, Line& line, L2Cycle now) {
  std::uint64_t extra = 0;
  if (is_atomic(r)) {
    extra = operate(r, line, now);
    line.dirty |= r.sectors;
    limit_dirty(static_cast<std::size_t>(&line - lines_.data()), now);
  } else if (r.request.kind == RequestKind::load && line.rare != kNoRare && rare_[line.rare].changed_at > now) {
    extra = (rare_[line.rare].changed_at - now).value;
  }
  const bool store = r.request.kind == RequestKind::store;
  const bool in_copy = store && r.passed_on && halves_.near_copies;
  if (line.copied && !in_copy && (is_atomic(r) || store)) {
    links_.invalidate_copy(index_, r, now);
    line.copied = false;
  }
  if (r.request.from.is_slice() || in_copy) line.copied = true;
  if (!r.request.needs_reply) return;
  ++counters_.requests.replies;
  const MemReply reply = answer(r.request, Cycle{});
  const std::uint32_t bytes = port_.reply_bytes(reply.data_bytes);
  counters_.bytes_out += bytes;
  links_.reply(index_, r.request, port_.leave(bytes, now) + config_.latency + extra);
}

/// Executes an atomic; returns the cycles beyond those of a load.
std::uint64_t L2Slice::operate(const SliceRequest& r, Line& line, L2Cycle now) {
  const L2Cycle start = std::max(now, atomics_.free_at());
  const AtomicUnit::Times times = atomics_.execute(r, tag_of(r), now);
  counters_.atomics.busy += (atomics_.free_at() - start).value;
  counters_.atomics.operations += r.request.atomic.operations;
  rare(line).changed_at = times.changed_at;
  return times.extra;
}

void L2Slice::clear() {
  tags_.clear();
  std::fill(lines_.begin(), lines_.end(), Line{});
  rare_.clear();
  tally_.leaving_first = 0;
  atomics_.clear();
}

}  // namespace sassim::arch
