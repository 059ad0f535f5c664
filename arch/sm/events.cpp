// SPDX-License-Identifier: Apache-2.0
// What happens in a processing block apart from issue: fetch, results, releases, the end of warps.
#include <algorithm>
#include <cassert>

#include "arch/sm/processing_block.h"

namespace sassim::arch {

void ProcessingBlock::after(Cycle at, Kind kind, std::uint32_t warp, std::uint32_t data) {
  events_.add(at, {kind, static_cast<std::uint8_t>(warp), warps_[warp].generation, data});
  next_event_ = std::min(next_event_, at);
}

void ProcessingBlock::happen(const Event& event, Cycle now) {
  if (event.kind == Kind::memory_written) return memory_event(event.data, LsuEvent::Kind::written_back, now);
  if (event.generation != warps_[event.warp].generation) return;
  switch (event.kind) {
    case Kind::written:
      release_write(event.warp, event.data, now);
      break;
    case Kind::read:
      release_read(event.warp, event.data);
      break;
    case Kind::start_fetch:
      want_fetch(event.warp);
      break;
    case Kind::resume_fetch:
      warps_[event.warp].redirected = false;
      want_fetch(event.warp);
      break;
    case Kind::release_hold:
      release_hold(event.warp, now);
      break;
    case Kind::sync_threads:
      sync_threads(event.warp, event.data, now);
      break;
    case Kind::end_warp:
      return end_warp(event.warp, now);
    case Kind::memory_written:
      return;
  }
  update(event.warp, now);
}

void ProcessingBlock::want_fetch(std::uint32_t number) {
  const InstructionBuffer& buffer = buffers_[number];
  if (buffer.fetched() < config_.front_end.instruction_buffer && buffer.to_fetch() != nullptr) front_end_.want(number);
}

void ProcessingBlock::fetch(Cycle now) {
  if (front_end_.idle()) return;
  const FrontEnd::Fetched fetched = front_end_.fetch(*scheduler_, view_, buffers_, now);
  if (fetched.warp == kMaxBlockWarps) return;
  Warp& warp = warps_[fetched.warp];
  InstructionBuffer& buffer = buffers_[fetched.warp];
  const bool first = buffer.fetched() == 0;
  for (bool more = true; more;) {
    front_end_.forget(fetched.warp);
    const InstructionBuffer::Entry& entry = *buffer.to_fetch();
    const std::uint32_t index = entry.index;
    const LaneMask active = entry.active;
    const bool follows = buffer.fetch(fetched.ready);
    const InstructionBuffer::Entry* next = buffer.to_fetch();
    const bool diverges = (*code_)[index].branches && next != nullptr && next->active != active;
    warp.redirected = !follows || diverges || (*code_)[index].fetch_after != 0 ||
                      (buffer.live() && (*code_)[index].leaves);
    if (!warp.redirected) want_fetch(fetched.warp);
    more = (index + 1) % config_.front_end.fetch_width != 0 && front_end_.wants(fetched.warp);
    if (more) front_end_.fetched_next();
  }
  if (first) wake_at(fetched.warp, fetched.ready, now);
}

void ProcessingBlock::line_arrived(const InstructionCache::Client& client, Cycle now) {
  next_event_ = std::min(next_event_, now);
  if (!client.constant) return front_end_.arrived(client.what, now);
  WarpMask warps = constants_.fill(client.what, *scheduler_, view_, now);
  for (; warps != 0; warps &= warps - 1) {
    const auto warp = static_cast<std::uint32_t>(std::countr_zero(warps));
    if (warps_[warp].hold != Hold::constant) continue;
    warps_[warp].hold = Hold::none;
    update(warp, now);
  }
}

void ProcessingBlock::barrier_opened(std::uint32_t number, Cycle now) {
  Warp& warp = warps_[number];
  if (!warp.resident || warp.hold != Hold::barrier) return;
  warp.hold = Hold::none;
  next_event_ = std::min(next_event_, now);
  if (buffers_[number].live()) find_path(number, now);
  update(number, now);
}

void ProcessingBlock::fence_passed(std::uint32_t number, Cycle now) {
  next_event_ = std::min(next_event_, now);
  release_hold(number, now);
  update(number, now);
}

void ProcessingBlock::release_write(std::uint32_t number, std::uint32_t line, Cycle now) {
  const StaticInstruction& instruction = (*code_)[line];
  if (code_->scoreboard())
    scoreboards_[number].written(code_->scoreboard_use(line), now);
  else
    warps_[number].counters.release(instruction.write_counter, instruction.long_latency);
  if (instruction.action == Action::close_group) async_->groups[number].released();
  if (warps_[number].hold == Hold::groups && !groups_left(number)) warps_[number].hold = Hold::none;
}

void ProcessingBlock::release_read(std::uint32_t number, std::uint32_t line) {
  const StaticInstruction& instruction = (*code_)[line];
  if (code_->scoreboard())
    scoreboards_[number].read(code_->scoreboard_use(line));
  else
    warps_[number].counters.release(instruction.read_counter, instruction.long_latency);
}

void ProcessingBlock::memory_event(std::uint32_t token, LsuEvent::Kind kind, Cycle now) {
  next_event_ = std::min(next_event_, now);
  InFlight& flight = in_flight_[token];
  if (kind == LsuEvent::Kind::acknowledged && flight.epoch != FenceUnit::kNone) fences_.store_done(flight.epoch, now);
  if (flight.left && (flight.generation != warps_[flight.warp].generation || !warps_[flight.warp].resident)) {
    end_access(flight);
    return free_tokens_.push_back(token);
  }
  const StaticInstruction& instruction = (*code_)[flight.line];
  if (kind == LsuEvent::Kind::departed) {
    flight.departed = true;
  } else if (kind == LsuEvent::Kind::sources_read) {
    flight.sources_read = true;
    release_read(flight.warp, flight.line);
  } else {
    // Results of fixed latency have the write port; what comes from memory waits a cycle.
    if (kind == LsuEvent::Kind::written_back && registers_.write_conflict(instruction.write_banks, now))
      return after(now + 1, Kind::memory_written, flight.warp, token);
    flight.finished = true;
    end_access(flight);
    release_write(flight.warp, flight.line, now);
    if (instruction.copies) copy_done(flight, now);
  }
  if (flight.sources_read && flight.finished)
    memory_done(token, now);
  else if (flight.sources_read && flight.departed)
    memory_left(flight, now);
  else
    update(flight.warp, now);
}

void ProcessingBlock::end_access(InFlight& flight) {
  if (flight.live == nullptr) return;
  flight.live->done();
  flight.live = nullptr;
}

/// Nothing that a store still has to do can change what its warp does, but for a MEMBAR.
void ProcessingBlock::memory_left(InFlight& flight, Cycle now) {
  flight.left = true;
  Warp& warp = warps_[flight.warp];
  ++warp.left;
  if (drained(warp)) return end_warp(flight.warp, now);
  update(flight.warp, now);
}

/// An operation has read its sources and delivered its result, in whatever order.
void ProcessingBlock::memory_done(std::uint32_t token, Cycle now) {
  const std::uint32_t number = in_flight_[token].warp;
  free_tokens_.push_back(token);
  Warp& warp = warps_[number];
  if (in_flight_[token].left) --warp.left;
  if (--warp.outstanding == 0 && warp.hold == Hold::membar && membar_waits(warp.membar_line))
    fences_.arrive(slot(number), warp.membar_at, membar_least(warp.membar_line), membar_cycles(warp.membar_line), now);
  if (drained(warp)) return end_warp(number, now);
  update(number, now);
}

/// The block's own threads see the L1: what is on its way beyond does not matter to them.
bool ProcessingBlock::membar_waits(std::uint32_t line) const { return (*code_)[line].scope != Scope::cta; }

std::uint32_t ProcessingBlock::membar_cycles(std::uint32_t line) const {
  const config::MemoryIo& io = config_.memory_io;
  switch ((*code_)[line].scope) {
    case Scope::cta:
      return std::max(1u, io.membar_cta);
    case Scope::gpu:
      return std::max(1u, io.membar_gpu);
    case Scope::sys:
      break;
  }
  return std::max(1u, io.membar_sys);
}

/// What a fence takes to ask whom it must, whatever was stored.
std::uint32_t ProcessingBlock::membar_least(std::uint32_t line) const {
  const config::MemoryIo& io = config_.memory_io;
  return (*code_)[line].scope == Scope::sys ? io.membar_beyond : io.membar_idle;
}

void ProcessingBlock::release_hold(std::uint32_t number, Cycle now) {
  Warp& warp = warps_[number];
  if (warp.hold == Hold::membar) {
    release_write(number, warp.membar_line, now);
    release_read(number, warp.membar_line);
  }
  if (warp.hold == Hold::membar || warp.hold == Hold::sleep || warp.hold == Hold::warp_sync) warp.hold = Hold::none;
}

/// Threads that wait for the same others are done with one after the other.
void ProcessingBlock::sync_threads(std::uint32_t number, std::uint32_t masks, Cycle now) {
  const Cycle start = pipes_[static_cast<std::size_t>(Resource::adu)].take_more(now, config_.issue.warp_sync_interval);
  const Cycle done = start + config_.issue.warp_sync_latency;
  if (masks > 1)
    after(done, Kind::sync_threads, number, masks - 1);
  else
    after(done, Kind::release_hold, number, 0);
}

void ProcessingBlock::end_warp(std::uint32_t number, Cycle now) {
  Warp& warp = warps_[number];
  charge(warp, now);
  assert(warp.accounted == now.value - warp.start.value);
  if (observer_ != nullptr) observer_->warp_ended(name(number), now);
  warp.resident = false;
  warp.reason = StallReason::no_warp;
  buffers_[number].stop();
  front_end_.forget(number);
  warp_cycles_ += now.value - warp.start.value;
  --resident_;
  ended_.push_back(number);
  barriers_.retire(warp.place, now);
  if (view_.last == number) view_.last = kMaxBlockWarps;
}

}  // namespace sassim::arch
