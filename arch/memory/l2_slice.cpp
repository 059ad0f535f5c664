// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/l2_slice.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "arch/memory/dram.h"
#include "sim/base/error.h"

namespace sassim::arch {

namespace {

std::uint32_t sets_per_slice(const config::L2Config& l2) {
  const std::uint64_t set_bytes = std::uint64_t{l2.ways} * l2.line;
  if (l2.ways == 0) throw InputError("memory.l2.ways is 0; expected at least 1");
  if (l2.size == 0 || l2.size % (set_bytes * l2.slices) != 0)
    throw InputError("memory.l2.size is {} bytes; expected a multiple of slices x ways x line = {} x {} x {} = {}",
                     l2.size, l2.slices, l2.ways, l2.line, set_bytes * l2.slices);
  if (l2.sector != kSectorBytes) throw InputError("memory.l2.sector is {} bytes; expected {}", l2.sector, kSectorBytes);
  if (l2.bytes_per_cycle == 0) throw InputError("memory.l2.bytes_per_cycle is 0; expected at least 1");
  if (l2.partitions > 1 && l2.near_copies && (l2.ways < 2 || l2.pending_requests < 2))
    throw InputError("memory.l2: ways ({}) and pending_requests ({}) must be at least 2 where halves keep copies",
                     l2.ways, l2.pending_requests);
  if (l2.partial_ways >= l2.ways)
    throw InputError("memory.l2.dirty.partial_ways is {}; expected less than ways, {}: lines written in part stay",
                     l2.partial_ways, l2.ways);
  if (l2.pending_requests == 0) throw InputError("memory.l2.pending_requests is 0; expected at least 1");
  if (l2.fetch % kSectorBytes != 0 || l2.fetch == 0 || l2.line % l2.fetch != 0 || l2.fetch > 128)
    throw InputError("memory.l2.fetch is {} bytes; expected 32, 64 or 128 that divides the line, {} bytes", l2.fetch,
                     l2.line);
  if (l2.write != "back" && l2.write != "through")
    throw InputError("memory.l2.write is '{}'; known: back, through", l2.write);
  if (l2.byte_masks && l2.line != 128)
    throw InputError("memory.l2.byte_masks needs memory.l2.line of 128 bytes, not {}, as wide as one store; set byte_masks=false",
                     l2.line);
  return static_cast<std::uint32_t>(l2.size / (set_bytes * l2.slices));
}

}  // namespace

L2Slice::L2Slice(const config::L2Config& l2, const config::CrossbarConfig& crossbar, std::uint32_t index, Links& links)
    : config_(l2),
      index_(index),
      links_(links),
      tags_({.sets = sets_per_slice(l2), .ways = l2.ways}, l2.replacement),
      set_hash_(AddressHash::make(l2.set_hash)),
      page_hash_(AddressHash::make("mix")),
      lines_(tags_.slots()),
      pending_(l2.pending_requests),
      reserved_((l2.pending_requests + 3) / 4),
      port_(crossbar),
      array_(l2.bytes_per_cycle) {
  for (std::uint32_t i = l2.pending_requests; i > 0; --i) free_pending_.push_back(i - 1);
}

/// Lines of a page lie in sets next to each other, which begin at any set, those of copies at another: pages are anywhere
/// in memory.
std::size_t L2Slice::set_of(std::uint64_t line, bool copy) const {
  const auto sets = static_cast<std::uint32_t>(tags_.sets());
  const std::uint32_t set = set_hash_->place(line, sets).target;
  if (config_.page == 0) return set;
  const std::uint64_t page = line * config_.slices * config_.line / config_.page;
  const std::uint32_t moved = set + page_hash_->offset(page * 2 + (copy ? 1 : 0), sets);
  return moved < sets ? moved : moved - sets;
}

std::uint64_t L2Slice::sector_bytes(std::uint16_t sectors) const {
  return static_cast<std::uint64_t>(std::popcount(sectors)) * kSectorBytes;
}

/// Takes the data array for `bytes`, and for a cycle at least, from the returned cycle on.
std::uint64_t L2Slice::occupy(std::uint64_t now, std::uint64_t bytes) {
  bytes = std::max(bytes, std::uint64_t{config_.bytes_per_cycle});
  const std::uint64_t start = std::max(now, array_.free_at());
  array_.take(now, static_cast<std::uint32_t>(bytes));
  counters_.busy_bytes += bytes;
  return start;
}

/// The same for a request, which keeps those behind it until it is through. What only needs the tags takes a cycle.
std::uint64_t L2Slice::look_up(std::uint64_t now, std::uint64_t bytes) {
  const std::uint64_t start = bytes == 0 ? now : occupy(now, bytes);
  busy_until_ = bytes == 0 ? now + 1 : array_.free_at();
  return start;
}

void L2Slice::arrive(SliceRequest request, std::uint64_t now) {
  const bool from_slice = request.request.from.is_slice();
  request.arrived = now;
  request.ready = from_slice || request.passed_on ? now : port_.admit(request.request, now);
  inputs_[from_slice ? 1 : 0].queue.push(request);
}

void L2Slice::work(std::uint64_t now) {
  Input& input = inputs_[ready_from_slices() <= now ? 1 : 0];
  const SliceRequest& head = input.queue.front();
  if (!serve(head, now)) {
    input.blocked = true;
    blocked_by_writes_ = !links_.can_write_back(index_);
    ++counters_.blocked;
    return;
  }
  links_.credit(head.request, now);
  input.queue.pop();
}

bool L2Slice::serve(const SliceRequest& r, std::uint64_t now) {
  if (r.request.kind == RequestKind::invalidate) {
    drop_copy(r);
    look_up(now, 0);
    return true;
  }
  return r.request.kind == RequestKind::store ? write(r, now) : read(r, now);
}

void L2Slice::count_lookup(const SliceRequest& r, std::uint16_t hit) {
  const auto sectors = static_cast<std::uint64_t>(std::popcount(r.sectors));
  const auto hits = static_cast<std::uint64_t>(std::popcount(static_cast<std::uint16_t>(hit & r.sectors)));
  const L2Counters::Lookups lookup{1, sectors, hits};
  if (r.request.needs_reply) ++counters_.expected;
  L2Counters::Lookups& what = operation(r.request.kind);
  what.add(lookup);
  L2Counters::Lookups& who = source(r.request);
  who.add(lookup);
  if (&who == &counters_.tex && r.request.kind == RequestKind::load) counters_.tex_read.add(lookup);
  if (&who == &counters_.tex && r.request.kind == RequestKind::store) counters_.tex_write.add(lookup);
  if (r.request.kind == RequestKind::instruction) counters_.sectors_instruction += sectors;
  if (r.request.kind == RequestKind::constant) counters_.sectors_constant += sectors;
  if (!r.passed_on) return;
  what.add(lookup);
  counters_.fabric.add(lookup);
}

L2Counters::Lookups& L2Slice::operation(RequestKind kind) {
  if (kind == RequestKind::store) return counters_.write;
  if (kind == RequestKind::atomic) return counters_.atomic;
  return kind == RequestKind::reduction ? counters_.reduction : counters_.read;
}

L2Counters::Lookups& L2Slice::source(const MemRequest& request) {
  if (request.from.is_slice()) return counters_.fabric;
  if (request.from.is_walker()) return counters_.walker;
  const bool code = request.kind == RequestKind::instruction || request.kind == RequestKind::constant;
  return code ? counters_.code : counters_.tex;
}

/// Loads of all kinds, and atomics, which read their sectors too.
bool L2Slice::read(const SliceRequest& r, std::uint64_t now) {
  const std::size_t line = tags_.find(set_of(r), tag_of(r));
  if (line == TagArray::kNone || (r.sectors & ~lines_[line].valid) != 0) return miss(r, line, now);
  count_lookup(r, r.sectors);
  tags_.used(line, use(r, now));
  finish(r, lines_[line], look_up(now, sector_bytes(r.sectors)));
  return true;
}

bool L2Slice::miss(const SliceRequest& r, std::size_t line, std::uint64_t now) {
  const bool merges = line != TagArray::kNone && lines_[line].pending != kNoPending;
  if (!merges && free_pending_.size() <= (r.copy ? reserved_ : 0)) return false;
  const bool present = line != TagArray::kNone;
  if (!present && (line = allocate(r, now)) == TagArray::kNone) return false;
  Line& state = lines_[line];
  count_lookup(r, present ? state.valid : 0);
  tags_.used(line, use(r, now));
  if (merges)
    ++counters_.merged;
  else
    start_fill(line, 0, false);
  Pending& entry = pending_[state.pending];
  entry.waiting.push_back(r);
  const auto wanted = static_cast<std::uint16_t>(r.sectors & ~state.valid & ~entry.sectors);
  const auto joined = static_cast<std::uint16_t>(r.sectors & ~state.valid & ~wanted);
  counters_.pending_hits += static_cast<std::uint64_t>(std::popcount(joined));
  look_up(now, 0);
  if (wanted == 0) return true;
  // The half that an SM asks first takes the neighbours along; the other half fetches what it is asked for.
  const bool exact = r.passed_on || r.request.from.is_slice();
  const auto fetched = exact ? wanted : static_cast<std::uint16_t>(widen(wanted, state) & ~entry.sectors);
  entry.sectors |= fetched;
  const auto count = static_cast<std::uint64_t>(std::popcount(fetched));
  counters_.fetched += count;
  if (r.copy) counters_.fetched_other_half += count;
  links_.fetch(index_, r, fetched, state.pending, now);
  return true;
}

/// The neighbours that come along because DRAM is read in larger pieces than a sector.
std::uint16_t L2Slice::widen(std::uint16_t wanted, const Line& line) const {
  const std::uint32_t step = config_.fetch / kSectorBytes;
  const std::uint32_t all = (1u << step) - 1;
  std::uint32_t result = 0;
  for (std::uint32_t first = 0; first < config_.line / kSectorBytes; first += step)
    if ((wanted >> first & all) != 0) result |= all << first;
  return static_cast<std::uint16_t>(result & ~line.valid);
}

bool L2Slice::write(const SliceRequest& r, std::uint64_t now) {
  std::size_t line = tags_.find(set_of(r), tag_of(r));
  const bool through = config_.write == "through";
  if (through && !links_.can_write_back(index_)) return false;
  if (!through && !may_become_dirty(r, line)) return false;
  if (line == TagArray::kNone && (line = allocate(r, now)) == TagArray::kNone) return false;
  Line& state = lines_[line];
  count_lookup(r, r.sectors);  // a write fetches nothing
  tags_.used(line, use(r, now));
  state.valid |= static_cast<std::uint16_t>(r.sectors & ~r.partial);
  if (config_.byte_masks && r.partial != 0) note_bytes(r, state);
  if (through) {
    counters_.written_back += static_cast<std::uint64_t>(std::popcount(r.sectors));
    counters_.written_back_partial += static_cast<std::uint64_t>(std::popcount(r.partial));
    links_.write_back(index_, r.line, r.sectors, now);
  } else {
    state.dirty |= r.sectors;
    limit_dirty(line, now);
  }
  const auto parts = static_cast<std::uint64_t>(std::popcount(r.partial));
  const auto whole = static_cast<std::uint64_t>(std::popcount(r.sectors)) - parts;
  const std::uint64_t least = parts != 0 ? config_.write_merge : 0;
  finish(r, state, look_up(now, std::max(whole * config_.write_sector + parts * config_.write_partial, least)));
  return true;
}

/// A line for a new tag: an empty one, or one that the policy gives up, written back if dirty. kNone: not now.
std::size_t L2Slice::allocate(const SliceRequest& r, std::uint64_t now) {
  if (!links_.can_write_back(index_)) return TagArray::kNone;
  const std::size_t set = set_of(r);
  if (r.copy && copies_under_way(set) + 1 >= tags_.ways()) return TagArray::kNone;
  const auto free = [this](std::size_t candidate) { return lines_[candidate].pending == kNoPending; };
  std::size_t line = tags_.choose(set, tag_of(r), use(r, now), free);
  if (line == TagArray::kNone) return line;
  // What was written in part is completed before it goes; meanwhile the next line does. Where nothing else is left it
  // must go all the same: those that wait here may be what the other half waits for.
  if (tags_.number(line) != TagArray::kEmpty && partial(lines_[line]) != 0) {
    if (config_.partial_ways != 0 && free_pending_.size() > reserved_ + 1) clean(line, now);
    const std::size_t other = tags_.choose(set, tag_of(r), use(r, now), [&](std::size_t candidate) {
      return free(candidate) && partial(lines_[candidate]) == 0;
    });
    if (other != TagArray::kNone)
      line = other;
    else if (!free(line))
      return TagArray::kNone;
  }
  if (tags_.number(line) != TagArray::kEmpty) evict(line, now);
  lines_[line] = Line{};
  tags_.fill(line, tag_of(r), use(r, now));
  return line;
}

std::uint32_t L2Slice::copies_under_way(std::size_t set) const {
  std::uint32_t count = 0;
  for (std::size_t line = set * tags_.ways(); line < (set + 1) * tags_.ways(); ++line)
    if (lines_[line].pending != kNoPending && tags_.number(line) % 2 != 0) ++count;
  return count;
}

void L2Slice::evict(std::size_t line, std::uint64_t now) {
  if (lines_[line].dirty != 0) write_back(line, now);
}

void L2Slice::drop_copy(const SliceRequest& r) {
  const std::size_t line = tags_.find(set_of(r), tag_of(r));
  if (line == TagArray::kNone) return;
  ++counters_.invalidations;
  lines_[line].valid = 0;
  if (lines_[line].pending == kNoPending) tags_.drop(line);
}

void L2Slice::write_copy(const SliceRequest& r, std::uint64_t now) {
  const auto whole = static_cast<std::uint16_t>(r.sectors & ~r.partial);
  std::size_t line = tags_.find(set_of(r), tag_of(r));
  if (line == TagArray::kNone && (whole == 0 || (line = allocate(r, now)) == TagArray::kNone)) return;
  tags_.used(line, use(r, now));
  lines_[line].valid |= whole;
}

void L2Slice::filled(std::uint32_t pending, std::uint16_t sectors, std::uint64_t now) {
  Pending& entry = pending_[pending];
  Line& state = lines_[entry.line];
  counters_.filled += static_cast<std::uint64_t>(std::popcount(sectors));
  state.valid |= sectors;
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
  --pending_used_;
  if (entry.write_back && state.dirty != 0) clean(entry.line, now);
}

/// The data is here: what remains is to change it, and to answer.
void L2Slice::finish(const SliceRequest& r, Line& line, std::uint64_t now) {
  std::uint64_t extra = 0;
  if (is_atomic(r)) {
    extra = execute(r, line, now);
    line.dirty |= r.sectors;
    limit_dirty(static_cast<std::size_t>(&line - lines_.data()), now);
  } else if (r.request.kind == RequestKind::load && line.changed_at > now) {
    extra = line.changed_at - now;
  }
  const bool store = r.request.kind == RequestKind::store;
  const bool in_copy = store && r.passed_on && config_.near_copies;
  if (line.copied && !in_copy && (is_atomic(r) || store)) {
    links_.invalidate_copy(index_, r, now);
    line.copied = false;
  }
  if (r.request.from.is_slice() || (in_copy && r.partial != r.sectors)) line.copied = true;
  if (!r.request.needs_reply) return;
  ++counters_.replies;
  const MemReply reply = answer(r.request, Cycle{});
  const std::uint32_t bytes = port_.reply_bytes(reply.data_bytes);
  counters_.bytes_out += bytes;
  links_.reply(index_, r.request, port_.leave(bytes, now) + config_.latency + extra);
}

/// Occupies the atomic unit, lanes on one address one after the other; returns the time in excess of a load's. The old
/// value goes out while the new one is still on its way back into the array.
std::uint64_t L2Slice::execute(const SliceRequest& r, Line& line, std::uint64_t now) {
  const std::uint64_t start = std::max(now, atomic_until_);
  atomic_free_ = operate(r, std::max(static_cast<double>(now), atomic_free_));
  atomic_until_ = static_cast<std::uint64_t>(atomic_free_);
  counters_.atomic_busy += atomic_until_ - start;
  counters_.atomic_operations += r.request.operations;
  const double work =
      config_.atomic_sector_latency * std::popcount(r.sectors) + config_.atomic_lane_latency * r.request.serial;
  const std::uint64_t read = start - now + static_cast<std::uint64_t>(std::lround(work));
  line.changed_at = now + read + config_.atomic_latency;
  return read + (r.request.kind == RequestKind::atomic ? config_.atomic_return : 0);
}

/// When the atomic unit, which begins with a request at `start`, is free for the next.
double L2Slice::operate(const SliceRequest& r, double start) {
  const auto sectors = static_cast<std::uint32_t>(std::popcount(r.sectors));
  if (config_.atomic_partial_interval == 0) {
    const double further = std::round(config_.atomic_lane_latency * (std::max<double>(r.request.serial, 1) - 1));
    return start + std::max(1.0, static_cast<double>(sectors * config_.atomic_interval)) + further;
  }
  const std::uint64_t tag = tag_of(r);
  const bool returns = r.request.kind == RequestKind::atomic;
  const auto known = std::find_if(operated_.begin(), operated_.end(), [&](const Operated& o) { return o.tag == tag; });
  const bool recent = known != operated_.end(), same_line = known == operated_.begin();
  if (!same_line) sector_ready_.fill(0);
  // What was changed goes on from one operation to the next of its kind. Others read the line when it is written.
  if (recent && (!same_line || known->returns != returns)) start = std::max(start, known->begun + config_.atomic_turn);
  std::rotate(operated_.begin(), recent ? known : operated_.end() - 1, recent ? known + 1 : operated_.end());
  operated_.front() = {tag, start, returns};
  double end = start;
  for (std::uint32_t i = 0; i < sector_ready_.size(); ++i) {
    if ((r.sectors >> i & 1) == 0) continue;
    // A floating-point operation takes longer: the next on its sector waits for the result.
    const double begin = r.request.floating ? std::max(end, sector_ready_[i]) : end;
    sector_ready_[i] = begin + config_.atomic_float_interval;
    end = begin + ((r.partial >> i & 1) != 0 ? config_.atomic_partial_interval : config_.atomic_interval);
  }
  // Operands come in by the sector, two for each of compare-and-swap.
  const double operands = r.request.data_bytes / static_cast<double>(kSectorBytes);
  return std::max({end, start + operands, start + (recent ? 0 : config_.atomic_minimum)});
}

void L2Slice::clear() {
  tags_.clear();
  std::fill(lines_.begin(), lines_.end(), Line{});
}

}  // namespace sassim::arch
