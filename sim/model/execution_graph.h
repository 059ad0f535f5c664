// SPDX-License-Identifier: Apache-2.0
// The latency bound of a warp: the longest path of its program execution graph (Volkov, sections 3.7 and 3.8).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "sim/isa/opcode.h"

namespace sassim::model {

/// Latencies of a processor, in cycles.
struct LatencyRules {
  /// From an instruction's issue to the issue of one that needs its result.
  std::function<double(const isa::Decoded& producer)> dependence;
  /// Between instructions that follow each other in one warp, whatever they depend on.
  std::function<double(const isa::Decoded& first)> next_issue;
  /// Whether the second may be issued together with the first; register dependences are checked in any case. Empty:
  /// never. No instruction is in two pairs.
  std::function<bool(const isa::Decoded& first, const isa::Decoded& second)> pairs;
  double replacement = 0;  ///< from the last instruction to the first one of the warp that takes its place
};

class ExecutionGraph {
 public:
  enum class EdgeKind : std::uint8_t { next_issue, dual_issue, dependence, replacement };
  struct Edge {
    std::size_t from = 0, to = 0;  ///< instructions in executed order; the one past the end is the replacement
    EdgeKind kind = EdgeKind::next_issue;
    double cycles = 0;
  };

  /// One warp's instructions in the order in which they execute.
  ExecutionGraph(std::span<const isa::Decoded> executed, const LatencyRules& rules);
  ~ExecutionGraph();
  ExecutionGraph(ExecutionGraph&&) noexcept;
  ExecutionGraph& operator=(ExecutionGraph&&) noexcept;

  /// A lower bound on the warp's latency, its replacement included.
  double longest_path() const;
  /// The earliest issue of each instruction, and last the end of the warp.
  std::vector<double> issue_times() const;
  /// The edges of a longest path, from the first instruction to the end.
  std::vector<Edge> critical_path() const;
  std::vector<Edge> edges() const;
  /// Issue slots that the warp takes: a pair takes one.
  std::size_t issues() const;

 private:
  struct Graph;
  std::unique_ptr<Graph> graph_;
};

}  // namespace sassim::model
