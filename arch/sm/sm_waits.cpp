// SPDX-License-Identifier: Apache-2.0
// What an SM adds to the wait-for graph: barriers, fences, and the parts between its warps and the memory system.
#include <fmt/format.h>

#include <algorithm>

#include "arch/common/wait_names.h"
#include "arch/sm/sm.h"

namespace sassim::arch {

void Sm::describe_waits(WaitGraph& graph) const {
  for (const auto& part : parts_) part->waits().describe(graph, now_);
  describe_barriers(graph);
  describe_shared_barriers(graph);
  if (graph.contains(fences_name(id_)))
    for (const auto& part : parts_) part->waits().describe_stores(graph, graph.node(fences_name(id_)));
  units_.describe_waits(graph);
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
      allocator_.each_warp(barrier.place, part, [&](WarpIndex w) {
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
      allocator_.each_warp(barrier.place, part, [&](WarpIndex w) {
        const WaitGraph::Node warp = waits.warp_node(graph, w);
        if (std::find(waiting.begin(), waiting.end(), warp) == waiting.end()) graph.waits(node, warp, "may arrive");
      });
    }
  });
}

}  // namespace sassim::arch
