// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/units/l1/l1_cache.h"

#include <fmt/format.h>

#include <algorithm>

#include "arch/common/wait_names.h"

namespace sassim::arch {

namespace {

L1Traffic traffic_of(const UnitOp& op, L1Mode mode) {
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
              config_.set_hash == "banks", static_cast<std::uint32_t>(config_.size / config_.line), config_.tag_masks,
              TagRows{config_.sweep_masks, config_.sweep_rows}},
      config_.line, config_.sector);
}

std::uint32_t L1Cache::allocate(const UnitOp& op, L1Mode mode, std::uint32_t extra_data, const LineAccesses& accesses) {
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
  // A pass has the width of all banks and reads lines whose tags are looked up together. A narrower data stage needs
  // several cycles for each pass, even if the lanes use only a part of the data.
  const bool narrow = pass_cycles_ > 1;
  const std::uint32_t lines = narrow ? pass_cycles_ * accesses.tag_passes : 1;
  flight.data_cycles = std::max({data.passes * pass_cycles_, by_bytes, narrow ? lines : 0});
  flight.words_cycles = std::max(by_bytes, lines);
  flight.extra_data = extra_data;
  const std::uint32_t registers = (op.decoded->access_bytes + 3u) / 4u;
  flight.conflicts = std::max(data.passes, 1u) - 1;
  // Copies to shared memory return nothing to registers.
  flight.returns = mode == L1Mode::async ? 0 : (std::max({registers, data.ideal, 1u}) - 1) * return_cycles_;
  const std::uint32_t saved = op.uniform_address ? vector_result_ : 0;
  const std::uint32_t further = mode == L1Mode::async ? async_latency_ : 0;
  flight.hit_tail = config_.hit_latency - before_accept_ - vector_address_ - saved - 1 + further;
  return index;
}

const LineAccesses& L1Cache::accept(const UnitOp& op, L1Mode mode, Cycle now, std::uint32_t extra_data) {
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
  queued.system_scope = op.decoded->system_scope;
  queued.evicts_first = op.decoded->evicts_first;
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
  if (queue_.size() == 1) next_tags_ = std::max(queued.ready, stores_come_until_);
  return queued.accesses;
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

void L1Cache::serve(const MemRequest& request) {
  switch (request.kind) {
    case RequestKind::load:
      if (live_.active()) live_.serve_load(request.tag, request.address, request.sectors);
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
        live_.serve(*live, LiveLines::lanes_of_request(*live, request.address, request.sectors, config_.atomic_waves));
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
      counters_.fills += sector_count(reply.sectors);
      const PendingRequests::Entry entry = pending_[reply.tag];
      const std::uint8_t sectors =
          pieces_.line_sectors(static_cast<std::uint32_t>(reply.address - entry.line), reply.sectors);
      if (entry.fills) tags_->fill(entry.line, sectors, {RequestKind::load, entry.pc, sm_, now.value});
      if (allocate_on_miss_ && entry.fills && (entry.arrived | sectors) == entry.requested) tags_->arrived(entry.line);
      sectors_in_flight_ -= sector_count(reply.sectors);
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
      counters_.fills += sector_count(reply.sectors);
      part_done(reply.tag, now);
      break;
    case RequestKind::reduction:
      part_done(reply.tag, now);
      break;
    case RequestKind::translation:
      misses_.translated(reply.address, now);
      break;
    default:
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
      // Bank conflicts are resolved while later tag passes run: only the longer of the two delays the data.
      const std::uint32_t passes = (op.missed ? op.words_cycles : op.data_cycles) + op.extra_data;
      const Cycle start = data_.reserve(op.missed ? now : op.first_pass, passes);
      if (!op.missed) hits_until_ = start + passes;
      const bool copies = op.mode == L1Mode::async;
      const Cycle read = std::max(start + op.conflicts * (op.missed || copies ? 1 : pass_latency_), now);
      const std::uint32_t tail = !op.missed ? op.hit_tail : copies ? 1 : config_.fill_latency;
      events_.push(read + op.returns + tail, op.token, UnitEvent::Kind::written_back);
      break;
    }
    case L1Mode::atomic:
      events_.push(now + config_.fill_latency, op.token, UnitEvent::Kind::written_back);
      break;
    case L1Mode::store:
    case L1Mode::reduction:
      events_.push(now, op.token, UnitEvent::Kind::acknowledged);
      break;
  }
}

void L1Cache::describe_waits(WaitGraph& graph, WaitGraph::Node stage) const {
  const WaitGraph::Node self = graph.node(l1_name(sm_));
  if (!can_accept()) graph.waits(stage, self, "its queue is full");
  if (idle()) return;
  graph.describe(self, fmt::format("{} instructions in flight, {} of {} in its queue; {} lines outstanding{}",
                                   in_flight_, queue_.size(), queue_capacity_, pending_.in_use(),
                                   pending_.full() ? ", the most that it can have" : ""));
  const WaitGraph::Node port = graph.node(port_name(sm_));
  if (misses_.untranslated() != 0)
    graph.waits(self, graph.node(kL2TlbName),
                fmt::format("{} requests wait for a translation", misses_.untranslated()));
  if (misses_.unsent() != 0) graph.waits(self, port, fmt::format("{} requests wait to be sent", misses_.unsent()));
  if (pending_.in_use() != 0 || misses_.unsent() == 0) graph.waits(self, port, "replies");
}

}  // namespace sassim::arch
