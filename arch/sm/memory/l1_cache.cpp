// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/memory/l1_cache.h"

#include <algorithm>
#include <bit>

namespace sassim::arch {

namespace {

L1Traffic traffic_of(const LsuOp& op, L1Mode mode) {
  const bool local = op.space == isa::Space::local;
  if (op.space == isa::Space::texture)
    return mode == L1Mode::store ? L1Traffic::surface_store : L1Traffic::texture_load;
  switch (mode) {
    case L1Mode::load:
      return local ? L1Traffic::local_load : L1Traffic::global_load;
    case L1Mode::store:
      return local ? L1Traffic::local_store : L1Traffic::global_store;
    case L1Mode::atomic:
      return L1Traffic::global_atomic;
    case L1Mode::reduction:
      return L1Traffic::global_reduction;
    case L1Mode::async:
      break;
  }
  return L1Traffic::async_copy;
}

std::uint64_t count(std::uint8_t sectors) { return static_cast<std::uint64_t>(std::popcount(sectors)); }

}  // namespace

L1Cache::L1Cache(const config::Sm& sm, MemoryPort& port, DataStage& data, EventQueue& events, SmId id)
    : config_(sm.l1),
      before_accept_(sm.memory_io.pipeline),
      vector_address_(sm.memory_io.vector_address),
      vector_result_(sm.memory_io.vector_result),
      async_latency_(sm.memory_io.async_latency),
      pass_latency_(sm.shared.pass_latency),
      return_cycles_(return_cycles(sm.memory_io)),
      pass_cycles_(std::max(sm.shared.banks * sm.shared.bank_width / std::max(sm.l1.bytes_per_cycle, 1u), 1u)),
      queue_capacity_(std::max(sm.memory_io.stage_queue, 1u)),
      coalescer_(sm.l1, sm.shared),
      pieces_(sm.l1.line, sm.l1.sector),
      data_(data),
      events_(events),
      misses_(sm, port, id),
      pending_(sm.l1.pending_requests, sm.l1.pending_merges),
      live_(sm.l1.line, sm.l1.sector, sm.l1.pending_requests),
      stores_(sm.l1.store_lines, sm.l1.store_hold),
      queue_(queue_capacity_),
      write_allocate_(sm.l1.write_policy == "allocate"),
      allocate_on_miss_(sm.l1.allocate == "miss"),
      sm_(id) {
  if (config_.bytes_per_cycle == 0) throw InputError("sm.l1.bytes_per_cycle is 0: expected at least 1 byte");
  if (!write_allocate_ && config_.write_policy != "no_allocate")
    throw InputError("sm.l1.write_policy is '{}': expected allocate or no_allocate", config_.write_policy);
  const std::uint32_t before = before_accept_ + vector_address_ + vector_result_ + 1;
  if (config_.hit_latency <= before)
    throw InputError(
        "sm.l1.hit_latency is {}: expected more than sm.memory_io.pipeline + vector_address + vector_result, "
        "{} cycles",
        config_.hit_latency, before);
  configure(0, false);
}

void L1Cache::configure(std::uint64_t carveout_bytes, bool keep) {
  if (carveout_bytes >= config_.size)
    throw InputError("a shared memory carve-out of {} bytes leaves no L1: sm.l1.size is {}", carveout_bytes,
                     config_.size);
  const std::uint64_t size = config_.size - carveout_bytes;
  if (size % config_.line != 0)
    throw InputError("an L1 of {} bytes (sm.l1.size {} less the carve-out) is not whole lines of {}", size,
                     config_.size, config_.line);
  if (tags_ && keep && size == size_) return;
  misses_.forget_translations();
  const std::uint64_t lost = (config_.detected_loss + config_.line - 1) / config_.line;
  const std::uint64_t lines = size / config_.line;
  if (lines < lost + config_.sets)
    throw InputError("an L1 of {} bytes holds nothing: sm.l1.detected_loss takes {} and each of {} sets needs a line",
                     size, config_.detected_loss, config_.sets);
  bytes_written_ = false;
  if (tags_ && size == size_) return tags_->clear();
  size_ = size;
  tags_ = std::make_unique<L1Tags>(
      config_.replacement,
      L1Shape{static_cast<std::uint32_t>(lines - lost), config_.sets, config_.set_hash == "mix",
              config_.set_hash == "banks", static_cast<std::uint32_t>(config_.size / config_.line)},
      config_.line, config_.sector);
}

std::uint32_t L1Cache::allocate(const LsuOp& op, L1Mode mode, std::uint32_t extra_data, const LineAccesses& accesses) {
  const BankPasses& data = accesses.data;
  std::uint32_t index = free_op_;
  if (index == PendingRequests::kNone) {
    index = static_cast<std::uint32_t>(ops_.size());
    ops_.emplace_back();
  } else {
    free_op_ = ops_[index].next;
  }
  ++in_flight_;
  InFlight& flight = ops_[index];
  flight = InFlight{};
  flight.token = op.token;
  flight.live = op.live;
  flight.mode = mode;
  flight.waits = 1;
  const std::uint32_t by_bytes = (data.words * 4 + config_.bytes_per_cycle - 1) / config_.bytes_per_cycle;
  // A pass is as wide as the banks, and of lines whose tags are looked up together. A narrower data stage takes the
  // longer for it, whatever part of it is wanted.
  const bool narrow = pass_cycles_ > 1;
  const std::uint32_t lines = narrow ? pass_cycles_ * accesses.tag_passes : 1;
  flight.data_cycles = std::max({data.passes * pass_cycles_, by_bytes, narrow ? lines : 0});
  flight.words_cycles = std::max(by_bytes, lines);
  flight.extra_data = extra_data;
  const std::uint32_t registers = (op.decoded->access_bytes + 3u) / 4u;
  flight.conflicts = std::max(data.passes, 1u) - 1;
  // What is copied to shared memory goes to no registers.
  flight.returns = mode == L1Mode::async ? 0 : (std::max({registers, data.ideal, 1u}) - 1) * return_cycles_;
  const std::uint32_t saved = op.uniform_address ? vector_result_ : 0;
  const std::uint32_t further = mode == L1Mode::async ? async_latency_ : 0;
  flight.hit_tail = config_.hit_latency - before_accept_ - vector_address_ - saved - 1 + further;
  return index;
}

void L1Cache::accept(const LsuOp& op, L1Mode mode, Cycle now, std::uint32_t extra_data) {
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  queue_.push(free_slots_.back());
  Queued& queued = slots_[free_slots_.back()];
  free_slots_.pop_back();
  queued.pc = op.pc;
  queued.traffic = traffic_of(op, mode);
  queued.bypass = op.decoded->bypasses_l1;
  queued.access_bytes = op.decoded->access_bytes;
  queued.floating = op.decoded->floating;
  queued.compares = op.decoded->compares;
  queued.position = 0;
  queued.ready = now + 1;
  coalescer_.coalesce(op, op.decoded->access_bytes, queued.accesses, bytes_written_);
  queued.which_bytes = bytes_written_;
  if (mode == L1Mode::store)
    for (std::uint32_t i = 0; i < queued.accesses.count; ++i)
      bytes_written_ = bytes_written_ || queued.accesses.lines[i].partial != 0;
  queued.op = allocate(op, mode, extra_data, queued.accesses);
  L1Counters::PerTraffic& c = counters_[queued.traffic];
  ++c.instructions;
  c.requests += queued.accesses.count > 0 ? 1 : 0;
  c.passes += queued.accesses.tag_passes;
  c.wavefronts += queued.accesses.data.passes;
  if (queue_.size() == 1 && !can_resume()) next_tags_ = std::max(queued.ready, stores_come_until_);
}

void L1Cache::forget() {
  if (tags_->resident() != 0) tags_->clear();
  pending_.part();
  if (live_.active()) live_.forget();
}

void L1Cache::cycle(Cycle now) {
  if (misses_.next_event() <= now && misses_.cycle(now)) retry(now);
  const bool more_come = next_tags_ <= now && !queue_.empty() && ops_[slots_[queue_.front()].op].mode == L1Mode::store;
  if (next_store() <= now && !more_come) send_oldest_store(now);
  if (next_tags_ <= now) tag_stage(now);
}

/// One pass of the oldest instruction: of those set aside, if there is a place for their lines again. What finds no
/// room stays where it is until a reply or a departure makes some.
void L1Cache::tag_stage(Cycle now) {
  const bool resumes = can_resume();
  Queued& queued = slots_[resumes ? aside_.front() : queue_.front()];
  InFlight& flight = ops_[queued.op];
  if (queued.position == 0) {
    // The data stage takes hits ahead, but not without end.
    if (const Cycle room = now + queue_capacity_; hits_until_ > room) {
      next_tags_ = now + (hits_until_ - room).value;
      return;
    }
    flight.first_pass = now;
  }
  const LineAccesses& accesses = queued.accesses;
  if (queued.position < accesses.count) {
    const std::uint8_t pass = accesses.lines[queued.position].pass;
    const std::uint32_t first = queued.position;
    for (; queued.position < accesses.count && accesses.lines[queued.position].pass == pass; ++queued.position) {
      if (look_up(queued, accesses.lines[queued.position], now)) continue;
      next_tags_ = resumes || set_aside(now) ? next_pass(now) : kNever;
      return;
    }
    if (flight.mode == L1Mode::store)
      stores_come_until_ = now + std::max(config_.store_interval * (queued.position - first), 1u);
  }
  if (queued.position == accesses.count) {
    finish(queued, now);
    Ring<std::uint32_t>& from = resumes ? aside_ : queue_;
    free_slots_.push_back(from.front());
    from.pop();
  }
  next_tags_ = next_pass(now);
}

void L1Cache::finish(const Queued& queued, Cycle now) {
  InFlight& flight = ops_[queued.op];
  if (flight.mode == L1Mode::store)
    hits_until_ = data_.reserve(flight.first_pass, flight.data_cycles) + flight.data_cycles;
  if (flight.mode == L1Mode::store || flight.mode == L1Mode::reduction)
    events_.push(now, flight.token, LsuEvent::Kind::departed);
  part_done(queued.op, now);
}

/// The instruction in front waits beside the tag stage, if it is for a place among the pending lines that it waits.
bool L1Cache::set_aside(Cycle now) {
  if (aside_.size() >= config_.set_aside || has_place()) return false;
  aside_.push(queue_.front());
  queue_.pop();
  return next_pass(now) != kNever;
}

Cycle L1Cache::next_pass(Cycle now) const {
  const Cycle free = std::max(now + 1, stores_come_until_);
  if (can_resume()) return free;
  return queue_.empty() ? kNever : std::max(free, slots_[queue_.front()].ready);
}

LineUse L1Cache::use(const Queued& queued, Cycle now) const {
  const L1Mode mode = ops_[queued.op].mode;
  const bool loads = mode == L1Mode::load || mode == L1Mode::async;
  const RequestKind kind = loads                    ? RequestKind::load
                           : mode == L1Mode::store  ? RequestKind::store
                           : mode == L1Mode::atomic ? RequestKind::atomic
                                                    : RequestKind::reduction;
  return {kind, queued.pc, sm_, now.value};
}

bool L1Cache::look_up(Queued& queued, const LineAccess& line, Cycle now) {
  bool done = false;
  switch (ops_[queued.op].mode) {
    case L1Mode::load:
    case L1Mode::async:
      done = look_up_load(queued, line, now);
      break;
    case L1Mode::store:
      done = write_line(queued, line, now);
      break;
    case L1Mode::atomic:
    case L1Mode::reduction:
      done = atomic_line(queued, line, now);
      break;
  }
  if (done) {
    ++counters_[queued.traffic].tags;
    counters_[queued.traffic].sectors += std::max<std::uint64_t>(count(line.sectors), line.places);
    if (observer_ != nullptr) observe(queued, line);
  }
  return done;
}

void L1Cache::observe(const Queued& queued, const LineAccess& line) {
  const L1Mode mode = ops_[queued.op].mode;
  CacheAccess access{line.address, line.sectors, line.partial, CacheAccess::Kind::read};
  if (mode == L1Mode::store) access.kind = CacheAccess::Kind::write;
  if (mode == L1Mode::atomic || mode == L1Mode::reduction || queued.bypass) access.kind = CacheAccess::Kind::pass_by;
  observer_->l1_access(sm_, access);
}

bool L1Cache::look_up_load(const Queued& queued, const LineAccess& line, Cycle now) {
  std::uint8_t held = config_.perfect ? line.sectors : queued.bypass ? 0 : tags_->sectors(line.address);
  if (queued.which_bytes && !queued.bypass && (line.sectors & ~held) != 0)
    held |= tags_->written(line.address, line.sectors, queued.accesses.bytes[queued.position]);
  const auto valid = static_cast<std::uint8_t>(held & line.sectors);
  const auto missing = static_cast<std::uint8_t>(line.sectors & ~valid);
  std::uint8_t fresh = 0;
  trace::LiveAccess* const live = ops_[queued.op].live;
  const std::uint64_t order = live != nullptr ? live->order : 0;
  if (missing != 0) {
    std::uint32_t entry = queued.bypass ? PendingRequests::kNone : pending_.find(line.address);
    const bool known = entry != PendingRequests::kNone;
    fresh = static_cast<std::uint8_t>(known ? missing & ~pending_[entry].requested : missing);
    if (known ? !pending_.can_merge(entry) : pending_.room() < (line.again != 0 ? 2u : 1u)) return false;
    if (fresh != 0 && !sectors_fit(count(fresh) + count(line.again))) return false;
    if (fresh != 0 && !misses_.has_room()) return false;
    if (queued.bypass) tags_->drop(line.address, line.sectors);
    if (!known) entry = pending_.allocate(line.address, !queued.bypass, !queued.bypass, queued.pc);
    if (!known && live_.active()) live_.open(entry, line.address);
    if (live != nullptr) live_.join(*live, line.address, entry, missing);
    ops_[queued.op].missed = true;
    const std::uint32_t saved = queued.accesses.count > 1 ? config_.lines_save : 0;
    wait_for(entry, queued.op, missing);
    if (fresh != 0) {
      if (allocate_on_miss_ && !queued.bypass) tags_->expect(line.address, use(queued, now));
      ask(line.address, entry, fresh, saved, order, now);
    }
    if (line.again != 0) {
      entry = pending_.allocate(line.address, false, false, queued.pc);
      if (live_.active()) live_.open(entry, line.address);
      wait_for(entry, queued.op, line.again);
      ask(line.address, entry, line.again, saved, order, now);
    }
  }
  if (live != nullptr && valid != 0) live_.hit(*live, line.address, valid);
  // What is under way already is a hit, too, where it has its place.
  const bool used = valid != 0 || (allocate_on_miss_ && fresh != missing);
  if (used && !config_.perfect) tags_->touch(line.address, use(queued, now));
  L1Counters::PerTraffic& c = counters_[queued.traffic];
  c.hits += count(valid);
  c.misses += count(fresh) + count(line.again);
  c.pending_hits += count(missing) - count(fresh);
  return true;
}

void L1Cache::wait_for(std::uint32_t entry, std::uint32_t op, std::uint8_t sectors) {
  pending_.wait(entry, op, sectors);
  ++ops_[op].waits;
}

void L1Cache::ask(std::uint64_t line_address, std::uint32_t entry, std::uint8_t wanted, std::uint32_t saved,
                  std::uint64_t live_order, Cycle now) {
  pending_.request(entry, wanted);
  sectors_under_way_ += count(wanted);
  pieces_.each(wanted, [&](std::uint32_t offset, std::uint8_t sectors) {
    MemRequest request;
    request.address = line_address + offset;
    request.tag = entry;
    request.pc = pending_[entry].pc;
    request.sectors = sectors;
    request.bytes[0] = live_order;
    misses_.add(request, now, saved);
  });
}

/// Everything goes to the L2. The L1 keeps the bytes that were written, beside sectors that it had; a sector of which
/// all were is as good as one that was read.
bool L1Cache::write_line(const Queued& queued, const LineAccess& line, Cycle now) {
  if (!misses_.has_room()) return false;
  if (stores_.enabled() && !gather(queued, line, now)) return false;
  const bool held = tags_->holds(line.address);
  const auto whole = static_cast<std::uint8_t>(line.sectors & ~line.partial);
  const LineUse by = use(queued, now);
  if (held) tags_->touch(line.address, by);
  if (queued.bypass)
    tags_->drop(line.address, line.sectors);
  else if (!write_allocate_ && !held)
    ;  // leaves nothing here
  else if (line.partial == 0)
    tags_->store(line.address, whole, by);
  else
    tags_->write(line.address, queued.accesses.bytes[queued.position], by);
  if (!stores_.enabled()) {
    MemRequest request;
    request.kind = RequestKind::store;
    request.pc = queued.pc;
    request.data_bytes = static_cast<std::uint16_t>(count(line.sectors) * config_.sector);
    if (line.partial != 0) {
      const ByteMask& bytes = queued.accesses.bytes[queued.position];
      request.bytes = {bytes[0], bytes[1]};
    }
    send_written(line, request, queued.op, now);
  }
  // As Nsight Compute counts on an H200: a store hits where its line has a tag, whatever its sectors.
  (held ? counters_[queued.traffic].hits : counters_[queued.traffic].misses) += count(line.sectors);
  return true;
}

/// Stores wait for others of their lines on the way out. False while there is no room for all pieces of the line.
bool L1Cache::gather(const Queued& queued, const LineAccess& line, Cycle now) {
  const ByteMask& bytes = queued.accesses.bytes[queued.position];
  std::uint32_t fresh = 0;
  pieces_.each(line.sectors,
               [&](std::uint32_t offset, std::uint8_t) { fresh += stores_.holds(line.address + offset) ? 0 : 1; });
  for (; stores_.room() < fresh; send_oldest_store(now))
    if (!misses_.has_room()) return false;
  pieces_.each(line.sectors, [&](std::uint32_t offset, std::uint8_t sectors) {
    counters_.stores_merged += stores_.add(line.address + offset, sectors, {bytes[offset / 64], bytes[offset / 64 + 1]},
                                           queued.op, now, queued.pc);
    ++ops_[queued.op].waits;
  });
  return true;
}

void L1Cache::send_oldest_store(Cycle now) { misses_.add(stores_.take(), now); }

/// When the oldest line of stores may leave: while further ones come, they have precedence.
Cycle L1Cache::next_store() const {
  if (stores_.empty() || !misses_.has_room()) return kNever;
  return std::max(stores_.oldest_ready(), stores_come_until_);
}

/// What an atomic sends: operands side by side; of waves a lane's own with the address, else whole sectors.
std::uint16_t L1Cache::operand_bytes(const Queued& queued, const LineAccess& line) const {
  if (!config_.atomic_waves) return static_cast<std::uint16_t>(line.operations * queued.access_bytes);
  const std::uint64_t one = line.operations == 1 ? queued.access_bytes : count(line.sectors) * config_.sector;
  return static_cast<std::uint16_t>(queued.compares ? 2 * one : one);
}

/// Atomics are the L2's work; the L1 must not keep what they change.
bool L1Cache::atomic_line(const Queued& queued, const LineAccess& line, Cycle now) {
  if (!misses_.has_room()) return false;
  tags_->drop(line.address, line.sectors);
  MemRequest request;
  request.kind = ops_[queued.op].mode == L1Mode::atomic ? RequestKind::atomic : RequestKind::reduction;
  request.pc = queued.pc;
  request.operations = line.operations;
  request.serial = line.serial;
  request.floating = queued.floating;
  request.data_bytes = operand_bytes(queued, line);
  send_written(line, request, queued.op, now);
  counters_[queued.traffic].misses += count(line.sectors);
  return true;
}

/// A request for each piece of the line, with its share of the data and of an atomic's operations.
void L1Cache::send_written(const LineAccess& line, const MemRequest& whole, std::uint32_t op, Cycle now) {
  const std::uint64_t all = count(line.sectors);
  pieces_.each(line.sectors, [&](std::uint32_t offset, std::uint8_t sectors) {
    const std::uint64_t here = count(pieces_.line_sectors(offset, sectors));
    MemRequest request = whole;
    request.address = line.address + offset;
    request.tag = op;
    request.sectors = sectors;
    request.partial = pieces_.small_at(line.partial, offset);
    if (offset != 0) request.bytes = {};
    request.data_bytes = static_cast<std::uint16_t>(whole.data_bytes * here / all);
    request.operations = static_cast<std::uint8_t>((whole.operations * here + all - 1) / all);
    misses_.add(request, now);
    ++ops_[op].waits;
  });
}

void L1Cache::serve(const MemRequest& request) {
  switch (request.kind) {
    case RequestKind::load:
      if (request.bytes[0] != 0) live_.serve_load(request.tag, request.address, request.sectors, request.bytes[0]);
      break;
    case RequestKind::store:
      if (stores_.enabled())
        stores_.each_store(request.tag, [&](std::uint32_t op) { serve_store(op, request); });
      else
        serve_store(request.tag, request);
      break;
    case RequestKind::atomic:
    case RequestKind::reduction:
      if (trace::LiveAccess* const live = ops_[request.tag].live)
        live_.serve(*live,
                    LiveLines::lanes_of_request(*live, request.address, request.sectors, config_.atomic_waves));
      break;
    default:
      break;
  }
}

void L1Cache::serve_store(std::uint32_t op, const MemRequest& request) {
  if (trace::LiveAccess* const live = ops_[op].live)
    live_.serve(*live, LiveLines::lanes_of_request(*live, request.address, request.sectors, false));
}

void L1Cache::reply(const MemReply& reply, Cycle now) {
  switch (reply.kind) {
    case RequestKind::load: {
      counters_.fills += count(reply.sectors);
      const PendingRequests::Entry entry = pending_[reply.tag];
      const std::uint8_t sectors =
          pieces_.line_sectors(static_cast<std::uint32_t>(reply.address - entry.line), reply.sectors);
      if (entry.fills) tags_->fill(entry.line, sectors, {RequestKind::load, entry.pc, sm_, now.value});
      if (allocate_on_miss_ && entry.fills && (entry.arrived | sectors) == entry.requested) tags_->arrived(entry.line);
      sectors_under_way_ -= count(reply.sectors);
      if (live_.active()) live_.arrive(reply.tag, sectors, entry.fills);
      pending_.arrive(reply.tag, sectors, [&](std::uint32_t op) {
        if (ops_[op].live != nullptr) live_.collect(*ops_[op].live, reply.tag);
        part_done(op, now);
      });
      break;
    }
    case RequestKind::store:
      if (stores_.enabled())
        stores_.acknowledged(reply.tag, [&](std::uint32_t op) { part_done(op, now); });
      else
        part_done(reply.tag, now);
      break;
    case RequestKind::atomic:
      counters_.fills += count(reply.sectors);
      part_done(reply.tag, now);
      break;
    case RequestKind::reduction:
      part_done(reply.tag, now);
      break;
    case RequestKind::translation:
      misses_.translated(reply.address, now);
      break;
    case RequestKind::instruction:
    case RequestKind::constant:
    case RequestKind::invalidate:
      return;
  }
  retry(now);
}

void L1Cache::part_done(std::uint32_t index, Cycle now) {
  InFlight& op = ops_[index];
  if (--op.waits != 0) return;
  complete(op, now);
  op.next = free_op_;
  free_op_ = index;
  --in_flight_;
}

void L1Cache::complete(InFlight& op, Cycle now) {
  if (op.live != nullptr) live_.end(*op.live, *tags_);
  switch (op.mode) {
    case L1Mode::load:
    case L1Mode::async: {
      // Bank conflicts are settled while later tag passes go on: the longer of the two counts.
      const std::uint32_t passes = (op.missed ? op.words_cycles : op.data_cycles) + op.extra_data;
      const Cycle start = data_.reserve(op.missed ? now : op.first_pass, passes);
      if (!op.missed) hits_until_ = start + passes;
      const bool copies = op.mode == L1Mode::async;
      const Cycle read = std::max(start + op.conflicts * (op.missed || copies ? 1 : pass_latency_), now);
      const std::uint32_t tail = !op.missed ? op.hit_tail : copies ? 1 : config_.fill_latency;
      events_.push(read + op.returns + tail, op.token, LsuEvent::Kind::written_back);
      break;
    }
    case L1Mode::atomic:
      events_.push(now + config_.fill_latency, op.token, LsuEvent::Kind::written_back);
      break;
    case L1Mode::store:
    case L1Mode::reduction:
      events_.push(now, op.token, LsuEvent::Kind::acknowledged);
      break;
  }
}

}  // namespace sassim::arch
