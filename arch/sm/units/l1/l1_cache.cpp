// SPDX-License-Identifier: Apache-2.0
// Sizes the L1 by the shared-memory carve-out, accepts instructions, and drives its parts from cycle to cycle.
#include "arch/sm/units/l1/l1_cache.h"

#include <fmt/format.h>

#include "arch/common/wait_names.h"
#include "sim/base/error.h"
#include "sim/config/groups/l1.h"

namespace sassim::arch {

L1Cache::L1Cache(const UnitParts& parts, MemoryPort& port)
    : core_(parts.config, port, parts.live, parts.sm),
      queue_(parts.config),
      returns_(parts.config, core_, parts.data, parts.events),
      loads_(core_, returns_),
      stores_(core_, returns_) {
  configure(0, false);
}

void L1Cache::configure(std::uint64_t carveout_bytes, bool keep) {
  const config::L1Config& config = core_.config;
  if (carveout_bytes >= config.size)
    throw InputError("a shared memory carve-out of {} bytes leaves no L1: sm.l1.size is {}", carveout_bytes,
                     config.size);
  const std::uint64_t size = config.size - carveout_bytes;
  if (size % config.line != 0)
    throw InputError("an L1 of {} bytes (sm.l1.size {} less the carve-out) is not whole lines of {}", size, config.size,
                     config.line);
  if (core_.tags && keep && size == size_) return;
  core_.misses.invalidate_translations();
  const std::uint64_t lost = (config.detected_loss + config.line - 1) / config.line;
  const std::uint64_t lines = size / config.line;
  if (lines < lost + config.sets)
    throw InputError("an L1 of {} bytes holds nothing: sm.l1.detected_loss takes {} and each of {} sets needs a line",
                     size, config.detected_loss, config.sets);
  queue_.clear_lines();
  if (core_.tags && size == size_) return core_.tags->clear();
  size_ = size;
  core_.tags = std::make_unique<L1Tags>(
      config.replacement,
      L1Shape{static_cast<std::uint32_t>(lines - lost), config.sets, config.set_hash == "mix",
              config.set_hash == "banks", static_cast<std::uint32_t>(config.size / config.line), config.tag_masks,
              TagRows{config.sweep_masks, config.sweep_rows}},
      config.line, config.sector);
}

const LineAccesses& L1Cache::accept(const UnitOp& op, L1Mode mode, Cycle now, std::uint32_t extra_data) {
  L1Access& access = queue_.push(op, mode, now);
  access.op = returns_.add(op, mode, extra_data, access.accesses);
  L1Counters::PerTraffic& c = core_.counters[access.traffic];
  ++c.instructions;
  c.requests += access.accesses.count > 0 ? 1 : 0;
  c.passes += access.accesses.tag_passes;
  c.wavefronts += access.accesses.data.passes;
  if (queue_.size() == 1) next_tags_ = std::max(access.ready, busy_until_);
  return access.accesses;
}

void L1Cache::invalidate() {
  if (core_.tags->resident() != 0) core_.tags->clear();
  loads_.invalidate();
  if (core_.live.active()) core_.live.invalidate();
}

void L1Cache::cycle(Cycle now) {
  if (core_.misses.next_event() <= now && core_.misses.cycle(now)) retry(now);
  const bool more_come = next_tags_ <= now && !queue_.empty() && queue_.front().mode == L1Mode::store;
  if (next_store() <= now && !more_come) stores_.send_oldest(now);
  if (next_tags_ <= now) tag_stage(now);
}

void L1Cache::serve(const MemRequest& request) {
  if (changes_line(request.kind))
    stores_.serve(request);
  else if (request.kind == RequestKind::load && core_.live.active())
    core_.live.serve_load(request.tag, request.address, request.sectors);
}

void L1Cache::reply(const MemReply& reply, Cycle now) {
  if (reply.kind == RequestKind::load)
    loads_.arrive(reply, now);
  else if (reply.kind == RequestKind::translation)
    core_.misses.translated(reply.address, now);
  else
    stores_.acknowledge(reply, now);
  retry(now);
}

void L1Cache::describe_waits(WaitGraph& graph, WaitGraph::Node stage) const {
  const MissPath& misses = core_.misses;
  const WaitGraph::Node self = graph.node(l1_name(core_.sm_id));
  if (!can_accept()) graph.waits(stage, self, "its queue is full");
  if (idle()) return;
  graph.describe(self, fmt::format("{} instructions in flight, {} of {} in its queue; {} lines outstanding{}",
                                   returns_.in_flight(), queue_.size(), queue_.capacity(), loads_.lines_in_flight(),
                                   loads_.full()     ? ", the most that it can have"
                                   : returns_.full() ? fmt::format(" for {} loads, the most that may wait",
                                                                   core_.config.pending_loads)
                                                     : ""));
  const WaitGraph::Node port = graph.node(port_name(core_.sm_id));
  if (misses.untranslated() != 0)
    graph.waits(self, graph.node(kL2TlbName), fmt::format("{} requests wait for a translation", misses.untranslated()));
  if (misses.unsent() != 0) graph.waits(self, port, fmt::format("{} requests wait to be sent", misses.unsent()));
  if (loads_.lines_in_flight() != 0 || misses.unsent() == 0) graph.waits(self, port, "replies");
}

}  // namespace sassim::arch
