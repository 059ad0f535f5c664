// SPDX-License-Identifier: Apache-2.0
// Advances an SM cycle by cycle: its processing blocks, then the units and the memory port that they share.
#include "arch/sm/sm.h"

#include <algorithm>
#include <utility>

#include "sim/base/error.h"
#include "sim/config/gpu_config.h"

namespace sassim::arch {

namespace {

const struct SmCounters {
  stats::Count warps_active{"sm__warps_active.sum", "cycle", "resident warps, summed over the cycles"};
  stats::Count memory_stage_busy{"sassim__memory_stage_busy_cycles.sum", "cycle",
                                 "cycles in which the entry of the memory stage was busy"};
} kSm;

Allocator::Parts make_parts(const config::GpuConfig& config, InstructionCache& instructions, SmSync& sync,
                            SharedUnits& shared, StallTable& stalls) {
  const std::uint32_t count = config.sm.processing_blocks;
  if (count == 0 || count > 8) throw InputError("sm.processing_blocks = {}: expected 1 to 8", count);
  Allocator::Parts parts;
  for (std::uint32_t i = 0; i < count; ++i)
    parts.push_back(
        std::make_unique<ProcessingBlock>(config, static_cast<std::uint8_t>(i), instructions, sync, shared, stalls));
  return parts;
}

}  // namespace

Sm::Sm(const config::GpuConfig& config, SmId id, MemoryPort& port)
    : id_(id),
      used_slices_(config, id),
      clients_(port, used_slices_),
      code_port_(clients_.add().port),
      instructions_(config.sm.front_end, code_port_, id),
      launch_caches_(config, id, instructions_),
      l15_port_(config.sm.constant, instructions_),
      units_(config.sm, {id, [this] { return clients_.add(); }, l15_port_, live_}),
      entries_{{{UnitQueue::memory, config.sm.memory_io.accept_interval, units_},
                {UnitQueue::adu, config.sm.memory_io.adu_queue.interval, units_},
                {UnitQueue::texture, 1, units_}}},
      sync_(config),
      port_(port),
      parts_(make_parts(config, instructions_, sync_, shared_units_, stalls_)),
      allocator_(config, id, parts_, sync_) {
  sync_.fences.connect([this](bool everywhere) {
    const UsedSlices::Answers answers = used_slices_.ask(everywhere);
    port_.fence(answers.near_slices, answers.far_slices);
    return answers.cycles;
  });
  for (auto& part : parts_) {
    for (std::size_t i = 0; i < kUnitQueues; ++i) entries_[i].connect(part->queue(static_cast<UnitQueue>(i)));
    part->connect(units_, live_);
  }
}

Sm::~Sm() = default;

void Sm::start_kernel(const Launch& launch, Cycle now) {
  launches_.last_memory_event = now;
  launches_.wrote = launches_.stands_for_others = false;
  const bool again = launch.repeats != 0 && launch.repeats == launches_.first.repeats;
  launches_.waiting = again && launches_.untouched && next_.empty ? &launch : nullptr;
  if (!waits()) start(launch, now);
}

void Sm::start(const Launch& launch, Cycle now) {
  now_ = now;
  launches_.untouched = true;
  launches_.further.clear();
  launches_.first = launch;
  launch_caches_.start_kernel(launch);
  stalls_.start_kernel(launch.code->size());
  live_.start_kernel();
  units_.start_kernel(launch, &stalls_);
  for (MemoryEntry& entry : entries_) entry.start_kernel(now);
  l15_port_.start_kernel(launch.code->kernel().constant_address);
  for (auto& part : parts_)
    part->start_kernel(*launch.code, launch.keep_code, launch.keep_caches, id_, launch.observer, now);
  allocator_.start_kernel(launch.blocks);
  used_slices_.start_kernel();
  next_.empty = empty();
}

void Sm::add_launch(const SmLaunch& launch, LaunchIndex number) {
  launches_.further.push_back({now_});
  stalls_.extend(launch.code->size());
  l15_port_.add_launch(launch.code->kernel(number).constant_address);
  for (auto& part : parts_) part->add_launch(number);
}

bool Sm::has_operations_of(LaunchIndex launch) const {
  return std::any_of(parts_.begin(), parts_.end(), [&](const auto& part) { return part->has_operations_of(launch); });
}

void Sm::start_blocks(Cycle now) {
  while (allocator_.next_arrival() <= now) {
    if (!begin_launch(allocator_.next_how())) return allocator_.put_off(now + 1);
    allocator_.start_next(now);
  }
}

/// A launch invalidates the L1 and brings its code and constants to an SM with its first thread block there. The L1
/// changes its size only when no access is in flight: false if there are some.
bool Sm::begin_launch(const BlockArrival& how) {
  if (how.carveout && !units_.idle()) return false;
  if (how.carveout) units_.resize(*how.carveout);
  if (how.launch == 0) return true;
  FurtherLaunch& launch = launches_.further[how.launch - 1];
  if (std::exchange(launch.begun, true)) return true;
  if (!how.carveout) units_.invalidate();
  launch_caches_.add_launch(*launches_.first.code, how.launch, launches_.first.code_prefetch);
  return true;
}

Cycle Sm::next_event() const {
  if (next_.empty) return allocator_.next_arrival() == kNever ? kNever : std::max(allocator_.next_arrival(), now_);
  return std::min(next_of_parts(), next_of_shared());
}

bool Sm::empty() const {
  return allocator_.resident_blocks() == 0 && instructions_.idle() && units_.idle() &&
         std::min({next_of_parts(), next_of_shared()}) == kNever;
}

Cycle Sm::next_of_parts() const {
  Cycle next = kNever;
  for (const auto& part : parts_) next = std::min(next, part->next_event());
  return next == kNever ? kNever : std::max(next, now_);
}

Cycle Sm::next_of_shared() const {
  const Cycle next = std::min({units_.next_event(), clients_.next_reply(), allocator_.next_arrival(), next_of_used()});
  return next == kNever ? kNever : std::max(next, now_);
}

Cycle Sm::next_of_used() const {
  Cycle next = std::min(instructions_.next_event(), sync_.next_event());
  for (const MemoryEntry& entry : entries_) next = std::min(next, entry.next_event(now_));
  return next;
}

void Sm::advance(Cycle until) {
  next_.shared = next_of_shared();  // replies and thread blocks may have come
  Cycle parts = next_of_parts();
  for (Cycle next; (next = std::min(parts, next_.shared)) < until;) {
    const bool shared = next_.shared <= next || is_asked(next);
    if (shared) run_shared(next);
    parts = run_parts(next);
    now_ = next + 1;
    // Processing blocks can only add work to what they share.
    next_.shared = shared ? next_of_shared() : std::min(next_.shared, std::max(next_of_used(), now_));
  }
  now_ = std::max(now_, until);
  next_.empty = empty();
}

/// Another instruction than the one that is ready first may be accepted before next_.shared.
bool Sm::is_asked(Cycle now) const {
  return std::any_of(entries_.begin(), entries_.end(), [now](const MemoryEntry& entry) { return entry.is_asked(now); });
}

void Sm::run_shared(Cycle now) {
  start_blocks(now);
  dequeue_replies(now);
  dequeue_lines(now);
  accept_memory(now);
  run_memory(now);
  release_waiting(now);
}

void Sm::dequeue_replies(Cycle now) {
  if (!clients_.dequeue_replies(now)) return;
  next_.units_called = true;
  for (; const MemReply* reply = code_port_.front(now); code_port_.pop()) instructions_.reply(*reply, now);
}

void Sm::dequeue_lines(Cycle now) {
  instructions_.pop(now, [&](const InstructionCache::Client& client) {
    if (client.wants == InstructionCache::Client::Wants::load) {
      l15_port_.arrived(static_cast<std::uint32_t>(client.what), now);
      next_.units_called = true;
    } else {
      parts_[client.block]->line_arrived(client, now);
    }
  });
}

void Sm::accept_memory(Cycle now) {
  for (MemoryEntry& entry : entries_) {
    const std::size_t part = entry.accept(now);
    if (part == MemoryEntry::kNone) continue;
    next_.units_called = true;
    parts_[part]->memory_accepted(now);
  }
}

void Sm::run_memory(Cycle now) {
  if (next_.units_called || units_.next_event() <= now) units_.cycle(now);
  next_.units_called = false;
  UnitEvent event;
  while (units_.pop_event(now, event)) {
    const LaunchIndex launch = parts_[event.token.block]->launch_of(event.token.operation);
    parts_[event.token.block]->memory_event(event.token.operation, event.kind, now);
    Cycle& last = launch == 0 ? launches_.last_memory_event : launches_.further[launch - 1].last_memory_event;
    bool& wrote = launch == 0 ? launches_.wrote : launches_.further[launch - 1].wrote;
    last = now;
    wrote = wrote || event.kind == UnitEvent::Kind::departed;
  }
}

void Sm::release_waiting(Cycle now) {
  sync_.barriers.pop(now, [&](WarpSlot slot) { part_of(slot).barrier_opened(warp_of(slot), now); });
  sync_.fences.pop(now, [&](WarpSlot slot) { part_of(slot).fence_passed(warp_of(slot), now); });
  sync_.shared_barriers.pop(
      now, [&](const SharedBarriers::Waiter& waiter) { part_of(waiter.warp).phase_over(waiter.check, now); });
}

/// Returns the next event of a processing block.
Cycle Sm::run_parts(Cycle now) {
  bool news = false;
  Cycle next = kNever;
  for (auto& part : parts_) {
    if (part->next_event() <= now) {
      part->cycle(now);
      if (part->dequeue_invalidation()) units_.invalidate();
      news = news || part->has_news();
    }
    next = std::min(next, part->next_event());
  }
  instructions_.cycle(now);
  if (news) {
    collect_clock_reads();
    allocator_.collect(now);
  }
  return std::max(next, now + 1);
}

void Sm::collect_clock_reads() {
  for (auto& part : parts_) {
    std::vector<ClockRead>& reads = part->clock_reads();
    clock_reads_.insert(clock_reads_.end(), reads.begin(), reads.end());
    reads.clear();
  }
}

std::uint64_t Sm::issued() const {
  if (launches_.untouched) return 0;
  std::uint64_t sum = 0;
  for (const auto& part : parts_) sum += part->issued();
  return sum;
}

void Sm::finish(Cycle now) {
  if (waits()) return;
  for (auto& part : parts_) part->finish(now);
}

void Sm::report(stats::CounterValues& values, Cycle now) const {
  std::uint64_t warp_cycles = 0;
  for (const auto& part : parts_) {
    part->report(values, now);
    warp_cycles += part->accounts().warp_cycles_until(now);
  }
  values.sum(kSm.warps_active, warp_cycles);
  values.sum(kSm.memory_stage_busy, entries_[static_cast<std::size_t>(UnitQueue::memory)].busy());
  allocator_.report(values, now);
  instructions_.report(values);
  units_.report(values);
}

void Sm::report_lines(stats::CounterValues& values, Cycle now) const {
  StallCycles open{};
  for (const auto& part : parts_) part->accounts().add_open(now, open);
  std::vector<LineStalls> lines;
  stalls_.add_to(lines);
  arch::report_lines(lines, open, values);
}

}  // namespace sassim::arch
