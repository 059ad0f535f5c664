// SPDX-License-Identifier: Apache-2.0
// What an SM adds to the wait-for graph: barriers, fences, and the parts between its warps and the memory system.
#include <fmt/format.h>

#include <algorithm>

#include "arch/common/wait_names.h"
#include "arch/sm/memory/memory_pipeline.h"
#include "arch/sm/sm.h"

namespace sassim::arch {

void Sm::describe_waits(WaitGraph& graph) const {
  for (const auto& part : parts_) part->waits().describe(graph, now_);
  describe_barriers(graph);
  describe_shared_barriers(graph);
  if (graph.contains(fences_name(id_)))
    for (const auto& part : parts_) part->waits().describe_stores(graph, graph.node(fences_name(id_)));
  load_store_->describe_waits(graph, id_);
  if (graph.contains(code_caches_name(id_)))
    graph.waits(graph.node(code_caches_name(id_)), graph.node(port_name(id_)), "missing lines");
}

WaitGraph::Node Sm::warp_node(WaitGraph& graph, WarpSlot slot) const {
  return parts_[slot.value % parts_.size()]->waits().warp_node(graph, warp_of(slot));
}

/// A barrier waits for all warps of its block that do not wait at it.
void Sm::describe_barriers(WaitGraph& graph) const {
  sync_.barriers.each_closed([&](const BarrierUnit::Closed& barrier) {
    const Allocator::Resident& resident = allocator_.resident(barrier.place);
    const WaitGraph::Node node =
        graph.node(fmt::format("barrier {} of thread block {}", barrier.id, resident.id.value));
    graph.describe(node, fmt::format("{} of {} warps have arrived", barrier.arrived, barrier.needed));
    if (barrier.needed > barrier.alive)
      graph.describe(node, fmt::format("it needs {} warps, but the block has {}{}", barrier.needed, barrier.alive,
                                       barrier.alive == 1 ? "" : " left"));
    for (const WarpSlot slot : barrier.waiting) graph.waits(warp_node(graph, slot), node, "has arrived and waits");
    for (std::size_t part = 0; part < parts_.size(); ++part)
      allocator_.each_warp(barrier.place, part, [&](std::uint32_t w) {
        const WaitGraph::Node warp = parts_[part]->waits().warp_node(graph, w);
        if (!graph.waits_for(warp, node)) graph.waits(node, warp, "has not arrived");
      });
  });
}

/// Which warps will arrive is not known: every warp of the block that does not wait at the barrier may.
void Sm::describe_shared_barriers(WaitGraph& graph) const {
  sync_.shared_barriers.each_closed([&](const SharedBarriers::Closed& barrier) {
    const Allocator::Resident& resident = allocator_.resident(barrier.place);
    const WaitGraph::Node node = graph.node(
        fmt::format("barrier at shared address {:#x} of thread block {}", barrier.address, resident.id.value));
    graph.describe(node, fmt::format("its phase still needs {} arrivals and {} transactions", barrier.arrivals,
                                     barrier.transactions));
    std::vector<WaitGraph::Node> waiting;
    for (const SharedBarriers::Waiter& waiter : barrier.waiting) {
      const auto& part = parts_[waiter.warp.value % parts_.size()];
      graph.waits(part->waits().check_node(graph, waiter.check), node, "the end of its phase");
      waiting.push_back(warp_node(graph, waiter.warp));
    }
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      const BlockWaits waits = parts_[part]->waits();
      waits.describe_arrivals(graph, node, barrier.place, barrier.address);
      allocator_.each_warp(barrier.place, part, [&](std::uint32_t w) {
        const WaitGraph::Node warp = waits.warp_node(graph, w);
        if (std::find(waiting.begin(), waiting.end(), warp) == waiting.end()) graph.waits(node, warp, "may arrive");
      });
    }
  });
}

void MemoryPipeline::describe_waits(WaitGraph& graph, SmId sm) const {
  const WaitGraph::Node l1 = graph.node(l1_name(sm));
  l1_.describe_waits(graph, l1, sm);
  if (!textures_.empty()) graph.describe(l1, fmt::format("{} texture instructions in flight to it", textures_.size()));
  const WaitGraph::Node stage = graph.node(memory_stage_name(sm));
  if (!l1_.can_accept()) graph.waits(stage, l1, "its queue is full");
  if (textures_.size() >= config_.texture_places) graph.waits(stage, l1, "texture instructions wait for it");
  if (!constants_.idle()) graph.waits(stage, graph.node(code_caches_name(sm)), "constants");
}

void L1Cache::describe_waits(WaitGraph& graph, WaitGraph::Node self, SmId sm) const {
  if (idle()) return;
  graph.describe(self, fmt::format("{} instructions in flight, {} of {} in its queue; {} lines outstanding{}",
                                   in_flight_, queue_.size(), queue_capacity_, pending_.in_use(),
                                   pending_.full() ? ", the most that it can have" : ""));
  if (misses_.untranslated() != 0)
    graph.waits(self, graph.node(kL2TlbName),
                fmt::format("{} requests wait for a translation", misses_.untranslated()));
  if (misses_.unsent() != 0)
    graph.waits(self, graph.node(port_name(sm)), fmt::format("{} requests wait to be sent", misses_.unsent()));
  if (pending_.in_use() != 0 || misses_.unsent() == 0) graph.waits(self, graph.node(port_name(sm)), "replies");
}

}  // namespace sassim::arch
