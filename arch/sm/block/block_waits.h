// SPDX-License-Identifier: Apache-2.0
// Explains what the warps of a processing block wait for, as part of the wait-for graph that a run without progress
// ends with. It changes no state.
#pragma once

#include <cstdint>
#include <string>

#include "arch/common/indices.h"
#include "arch/sm/issue/issue_stage.h"
#include "arch/sm/warps/block_state.h"
#include "sim/base/wait_graph.h"

namespace sassim::arch {

class BlockWaits {
 public:
  BlockWaits(const BlockState& state, const IssueStage& issue, const BlockPipes& pipes, const MemoryAccess& memory,
             const SyncUnit& sync)
      : state_(state), issue_(issue), pipes_(pipes), memory_(memory), sync_(sync) {}

  /// Adds what the warps wait for, and where their memory operations are.
  void describe(WaitGraph& graph, Cycle now) const;
  /// Adds the stores for which `fence`, a fence of the SM, waits.
  void describe_stores(WaitGraph& graph, WaitGraph::Node fence) const;
  /// Adds the copies for which a barrier in shared memory waits; their thread block is in `place`.
  void describe_arrivals(WaitGraph& graph, WaitGraph::Node barrier, std::uint32_t place, std::uint32_t address) const;
  WaitGraph::Node warp_node(WaitGraph& graph, WarpIndex warp) const;
  /// A check of barriers in shared memory, by the name that SharedBarriers::Waiter has for it.
  WaitGraph::Node check_node(WaitGraph& graph, std::uint32_t check) const;

 private:
  std::string line_text(CodeLine line) const;
  WaitGraph::Node operation_node(WaitGraph& graph, WarpIndex warp, CodeLine line) const;
  WaitGraph::Node operation_node(WaitGraph& graph, const Operation& operation) const;
  WaitGraph::Node queue_node(WaitGraph& graph, const MemoryQueue& queue) const;
  void describe_queue(WaitGraph& graph, const MemoryQueue& queue, std::vector<bool>& queued) const;
  void describe_warp(WaitGraph& graph, WarpIndex warp, Cycle now) const;
  void describe_ready(WaitGraph& graph, WarpIndex warp, WaitGraph::Node node, Cycle now) const;
  void describe_fence(WaitGraph& graph, WarpIndex warp, WaitGraph::Node node) const;
  void describe_counters(WaitGraph& graph, WarpIndex warp, WaitGraph::Node node, CodeLine line, Cycle now) const;
  void describe_holders(WaitGraph& graph, WarpIndex warp, WaitGraph::Node node, std::uint8_t counter) const;
  void describe_time(WaitGraph& graph, WarpIndex warp, WaitGraph::Node node) const;
  void describe_operations(WaitGraph& graph, WarpIndex warp, WaitGraph::Node node, const char* why) const;
  void describe_memory(WaitGraph& graph) const;
  std::uint8_t counters_waited_for(WarpIndex warp, CodeLine line, Cycle now) const;
  bool held_by(WarpIndex warp, CodeLine& line) const;
  bool is_of(WarpIndex warp, const Operation& operation) const {
    return operation.warp == warp && operation.generation == state_.warps[warp].generation;
  }
  const StaticInstruction& at(CodeLine line) const { return (*state_.code)[line]; }

  const BlockState& state_;
  const IssueStage& issue_;
  const BlockPipes& pipes_;
  const MemoryAccess& memory_;
  const SyncUnit& sync_;
};

}  // namespace sassim::arch
