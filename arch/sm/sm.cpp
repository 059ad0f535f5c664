// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/sm.h"

#include <algorithm>
#include <bit>

#include "arch/memory/address_map.h"
#include "arch/network/topology.h"

namespace sassim::arch {

namespace {
constexpr std::uint64_t kConstantBanks = 32 * (64u << 10);

std::uint32_t barrier_latency(const config::Sm& sm) {
  return sm.pipes.ops[static_cast<std::size_t>(isa::OpClass::barrier)].latency;
}

/// Those that share a way for constants, in the order in which they get their first blocks, and which of them this is.
Sm::Neighbours neighbours(const config::GpuConfig& config, SmId id) {
  const std::uint32_t sharers = std::max(1u, config.sm.front_end.constant_sharers);
  std::vector<std::uint64_t> order = config.launch.sm_order;
  for (std::uint64_t sm = 0; sm < config.sm.count; ++sm)
    if (std::find(order.begin(), order.end(), sm) == order.end()) order.push_back(sm);
  const auto place = static_cast<std::uint32_t>(std::find(order.begin(), order.end(), id.value) - order.begin());
  if (config.memory.crossbar.gpc_halves.empty()) return {sharers, place % sharers};  // GPCs are not known
  const Topology topology(config);
  Sm::Neighbours result{0, 0};
  for (const std::uint64_t sm : order) {
    if (sm == id.value) result.place = result.count;
    if (sm < config.sm.count) result.count += topology.gpc(SmId(static_cast<std::uint32_t>(sm))) == topology.gpc(id);
  }
  return result;
}
/// What a fence takes to ask the home slice of an address, in the SM's own half of the chip or in the other.
FenceUnit::Distance distances(const config::GpuConfig& config, SmId id) {
  const config::MemoryIo& io = config.sm.memory_io;
  const std::uint32_t own_half = io.membar_near, other_half = io.membar_far;
  auto topology = std::make_shared<const Topology>(config);
  if (topology->halves() < 2) return [own_half](std::uint64_t) { return own_half; };
  return [=, map = std::make_shared<const SliceMap>(config.memory.l2)](std::uint64_t address) {
    const Endpoint home = Endpoint::of_slice(map->place(address).slice);
    return topology->apart(Endpoint::of_sm(id), home) ? other_half : own_half;
  };
}
}  // namespace

Sm::Sm(const config::GpuConfig& config, SmId id, MemoryPort& port, const MakeLoadStore& make_load_store)
    : config_(config),
      id_(id),
      neighbours_(neighbours(config, id)),
      data_port_(port),
      instructions_(config.sm.front_end, port, id),
      l15_port_(config.sm.constant, instructions_),
      load_store_(make_load_store(data_port_, l15_port_)),
      barriers_(barrier_latency(config.sm)),
      fences_(distances(config, id)),
      port_(port),
      shared_barriers_(std::make_unique<SharedBarriers>(config.sm.memory_io.barrier_wake)) {
  const std::uint32_t parts = config.sm.processing_blocks;
  if (parts == 0 || parts > 8) throw InputError("sm.processing_blocks = {}: expected 1 to 8", parts);
  for (std::uint32_t i = 0; i < parts; ++i) {
    parts_.push_back(std::make_unique<ProcessingBlock>(config, static_cast<std::uint8_t>(i), instructions_, barriers_, fences_,
                                                       *shared_barriers_, shared_units_, stalls_));
    parts_.back()->connect(*load_store_);
    place_of_.emplace_back((config.sm.occupancy.warps + parts - 1) / parts, 0);
  }
  served_.assign(parts, Cycle{});
}

Sm::~Sm() = default;

void Sm::start_kernel(const Launch& launch, Cycle now) {
  launch_ = launch;
  now_ = accept_free_ = last_memory_event_ = now;
  std::fill(served_.begin(), served_.end(), now);
  const trace::KernelInfo& kernel = launch.code->kernel();
  if (!launch.keep_code) instructions_.clear();
  if (!launch.keep_caches) instructions_.forget(kernel.constant_address, kConstantBanks);
  instructions_.clear_counters();
  const config::FrontEnd& front_end = config_.sm.front_end;
  const std::uint32_t count = std::max(1u, config_.sm.count);
  const auto of_busy = [&](std::uint32_t sms) { return std::max(1u, (sms * launch.busy_sms + count - 1) / count); };
  const std::uint32_t pairs = (of_busy(neighbours_.count) + 1) / 2;
  instructions_.take_turns(front_end.constant_interval * of_busy(front_end.constant_sharers),
                           first_constants({front_end.constant_interval, front_end.constant_skew, pairs,
                                            neighbours_.place / 2 % pairs, neighbours_.place % 2 != 0}));
  instructions_.code_arrives(launch.code_arrives);
  instructions_.preload(kernel.code_address, std::min(launch.code_prefetch, kernel.code.size() * kInstructionBytes));
  // A launch hands its own bank over and those of the kernel's code (jump tables); what the program's __constant__
  // arrays hold comes when it is asked for.
  if (launch.code_prefetch != 0) {
    instructions_.preload(kernel.constant_address, launch.code->launch_bank_bytes());
    for (const trace::ConstantBank& bank : kernel.constants)
      instructions_.preload(kernel.constant_address + (std::uint64_t{bank.bank} << 16), bank.bytes.size());
  }
  stalls_.start_kernel(launch.code->size());
  load_store_->start_kernel(launch.carveout, launch.keep_caches);
  load_store_->observe(launch.accesses);
  load_store_->start_live(launch.live);
  l15_port_.start_kernel(launch.code->kernel().constant_address);
  for (auto& part : parts_)
    part->start_kernel(*launch.code, launch.keep_code, launch.keep_caches, id_, launch.observer, now);
  residents_.assign(launch.blocks, Resident{});
  for (auto& places : place_of_) std::fill(places.begin(), places.end(), 0);
  active_cycles_ = blocks_done_ = 0;
  wrote_ = false;
  fences_.start_kernel();
  next_part_ = 0;
}

void Sm::place(std::shared_ptr<const trace::BlockTrace> block, BlockId id, Cycle at) {
  arrivals_.push_back({std::move(block), id, at});
}

Cycle Sm::next_acceptance() const {
  Cycle next = kNever;
  for (const auto& part : parts_) next = std::min(next, part->memory_queue().ready_at());
  if (next == kNever) return kNever;
  next = std::max({next, accept_free_, now_});
  return load_store_->can_accept(next) ? next : std::max(next, load_store_->accept_ready(next));
}

Cycle Sm::next_event() const {
  Cycle next = std::min({instructions_.next_event(), load_store_->next_event(), barriers_.next_event(),
                         fences_.next_event(), shared_barriers_->next_event(), port_.next_reply(), data_port_.next_reply(), next_acceptance()});
  if (!arrivals_.empty()) next = std::min(next, arrivals_.front().at);
  for (const auto& part : parts_) next = std::min(next, part->next_event());
  return next == kNever ? kNever : std::max(next, now_);
}

void Sm::advance(Cycle until) {
  for (Cycle next = next_event(); next < until; next = next_event()) {
    cycle(next);
    now_ = next + 1;
  }
  now_ = std::max(now_, until);
}

void Sm::cycle(Cycle now) {
  place_arrivals(now);
  data_port_.split(now, [&](const MemReply& reply) { instructions_.reply(reply, now); });
  take_lines(now);
  accept_memory(now);
  if (load_store_called_ || load_store_->next_event() <= now) load_store_->cycle(now);
  load_store_called_ = false;
  take_memory_events(now);
  barriers_.pop(now, [&](WarpSlot slot) {
    parts_[slot.value % parts_.size()]->barrier_opened(static_cast<std::uint32_t>(slot.value / parts_.size()), now);
  });
  fences_.pop(now, [&](WarpSlot slot) {
    parts_[slot.value % parts_.size()]->fence_passed(static_cast<std::uint32_t>(slot.value / parts_.size()), now);
  });
  shared_barriers_->pop(now, [&](const SharedBarriers::Waiter& waiter) {
    parts_[waiter.warp.value % parts_.size()]->phase_over(waiter.check, now);
  });
  for (auto& part : parts_)
    if (part->next_event() <= now) {
      part->cycle(now);
      if (part->forgets()) load_store_->forget_lines();
    }
  instructions_.cycle(now);
  collect(now);
}

void Sm::take_lines(Cycle now) {
  instructions_.pop(now, [&](const InstructionCache::Client& client) {
    if (client.id == InstructionCache::kLoadStore) {
      l15_port_.arrived(static_cast<std::uint32_t>(client.what), now);
      load_store_called_ = true;
    } else {
      parts_[client.id]->line_arrived(client, now);
    }
  });
}

/// Of the processing blocks that have something ready, the one served longest ago comes first. Turns would let a block
/// that is bound by its own address stage push in between the loads of others that have room for all but a cycle, and
/// all would fall into the step of the slowest.
void Sm::accept_memory(Cycle now) {
  if (now < accept_free_) return;
  std::size_t first = parts_.size();
  for (std::size_t i = 0; i < parts_.size(); ++i)
    if (parts_[i]->memory_queue().ready_at() <= now && (first == parts_.size() || served_[i] < served_[first]))
      first = i;
  if (first == parts_.size() || !load_store_->can_accept(now)) return;
  MemoryQueue& queue = parts_[first]->memory_queue();
  load_store_->accept(queue.front(), now);
  load_store_called_ = true;
  queue.pop(now);
  parts_[first]->memory_accepted(now);
  accept_free_ = now + std::max(1u, config_.sm.memory_io.accept_interval);
  served_[first] = now;
}

void Sm::take_memory_events(Cycle now) {
  LsuEvent event;
  while (load_store_->pop_event(now, event)) {
    parts_[event.token >> 24]->memory_event(event.token & 0xffffff, event.kind, now);
    last_memory_event_ = now;
    wrote_ = wrote_ || event.kind == LsuEvent::Kind::departed;
  }
}

void Sm::place_arrivals(Cycle now) {
  while (!arrivals_.empty() && arrivals_.front().at <= now) {
    start_block(arrivals_.front(), now);
    arrivals_.pop_front();
  }
}

std::uint32_t Sm::free_warp(std::size_t part) const {
  const auto& places = place_of_[part];
  return static_cast<std::uint32_t>(std::find(places.begin(), places.end(), 0u) - places.begin());
}

void Sm::start_block(Arrival& arrival, Cycle now) {
  std::uint32_t place = 0;
  while (residents_[place].trace) ++place;
  Resident& resident = residents_[place];
  resident.trace = std::move(arrival.trace);
  resident.id = arrival.id;
  const auto& warps = resident.trace->warps;
  resident.warps_left = static_cast<std::uint32_t>(warps.size());
  if (resident.trace->live != nullptr) resident.trace->live->place(id_);
  if (resident_blocks_++ == 0) active_since_ = now;
  barriers_.start_block(place, resident.warps_left);
  shared_barriers_->start_block(place);

  // Warp w goes to processing block (first + w) mod 4, `first` being the one with the fewest warps, and of several the
  // next one behind the first of the last block (measured on an H200).
  std::size_t first = next_part_;
  for (std::size_t i = 1; i < parts_.size(); ++i) {
    const std::size_t other = (next_part_ + i) % parts_.size();
    if (parts_[other]->resident() < parts_[first]->resident()) first = other;
  }
  next_part_ = (first + 1) % parts_.size();
  for (std::uint32_t w = 0; w < warps.size(); ++w) {
    std::size_t part = (first + w) % parts_.size();
    while (free_warp(part) == place_of_[part].size()) part = (part + 1) % parts_.size();
    const std::uint32_t warp = free_warp(part);
    place_of_[part][warp] = place + 1;
    const auto hardware_warp = std::uint32_t{id_.value} * config_.sm.occupancy.warps +
                               warp * static_cast<std::uint32_t>(parts_.size()) + static_cast<std::uint32_t>(part);
    const WarpPlacement placement{warp, place, w, arrival.id, age_++, block_age_, hardware_warp * kWarpSize,
                                  w * config_.sm.occupancy.warp_launch_interval};
    if (resident.trace->live != nullptr)
      parts_[part]->place(placement, resident.trace->live->warp(w), now);
    else
      parts_[part]->place(placement, warps[w]->cursor(), now);
  }
  ++block_age_;
}

void Sm::collect(Cycle now) {
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    auto& reads = parts_[part]->clock_reads();
    clock_reads_.insert(clock_reads_.end(), reads.begin(), reads.end());
    reads.clear();
    for (std::uint32_t warp : parts_[part]->ended()) {
      Resident& resident = residents_[place_of_[part][warp] - 1];
      place_of_[part][warp] = 0;
      if (--resident.warps_left != 0) continue;
      completions_.push_back({resident.id, now});
      resident.trace.reset();
      ++blocks_done_;
      if (--resident_blocks_ == 0) active_cycles_ += now.value - active_since_.value;
    }
    parts_[part]->ended().clear();
  }
}

std::uint64_t Sm::issued() const {
  std::uint64_t sum = 0;
  for (const auto& part : parts_) sum += part->issued();
  return sum;
}

void Sm::finish(Cycle now) {
  for (auto& part : parts_) part->finish(now);
}

void Sm::report(stats::MetricSet& metrics) const {
  for (const auto& part : parts_) part->report(metrics);
  std::uint64_t warp_cycles = 0;
  for (const auto& part : parts_) warp_cycles += part->warp_cycles();
  metrics.sum("sm__cycles_active.sum", "cycle", "cycles with at least one warp on the SM, summed over the SMs",
              active_cycles_);
  metrics.max("sm__cycles_active.max", "cycle", "cycles with at least one warp, of the SM that has most",
              static_cast<double>(active_cycles_));
  metrics.sum("sm__warps_active.sum", "cycle", "cycles of resident warps", warp_cycles);
  metrics.sum("sm__ctas_launched.sum", "block", "thread blocks that ran", blocks_done_);
  instructions_.report(metrics);
  load_store_->report(metrics);
}

}  // namespace sassim::arch
