// SPDX-License-Identifier: Apache-2.0
// The latency bound of a warp: the longest path of its program execution graph, which sections 3.7 and 3.8 of Volkov's
// dissertation define. A test compares it with the dissertation; no command uses it.
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
  /// From an instruction's issue to the issue of an instruction that needs its result.
  std::function<double(const isa::Decoded& producer)> dependence;
  /// Between consecutive instructions of one warp, whether or not they depend on each other.
  std::function<double(const isa::Decoded& first)> next_issue;
  /// Whether `second` may issue together with `first`; register dependences are checked in any case. Empty: never. An
  /// instruction is in at most one pair.
  std::function<bool(const isa::Decoded& first, const isa::Decoded& second)> pairs;
  double replacement = 0;  ///< from the last instruction to the first instruction of the next warp in this place
};

class ExecutionGraph {
 public:
  enum class EdgeKind : std::uint8_t { next_issue, dual_issue, dependence, replacement };
  struct Edge {
    std::size_t from = 0, to = 0;  ///< indices in executed order; the index past the end is the replacement
    EdgeKind kind = EdgeKind::next_issue;
    double cycles = 0;
  };

  /// `executed`: the instructions of one warp in the order of execution.
  ExecutionGraph(std::span<const isa::Decoded> executed, const LatencyRules& rules);
  ~ExecutionGraph();
  ExecutionGraph(ExecutionGraph&&) noexcept;
  ExecutionGraph& operator=(ExecutionGraph&&) noexcept;

  /// A lower bound on the warp's latency, with its replacement.
  double longest_path() const;
  /// The earliest issue of each instruction, and as last element the end of the warp.
  std::vector<double> issue_times() const;
  /// The edges of a longest path, from the first instruction to the end.
  std::vector<Edge> critical_path() const;
  std::vector<Edge> edges() const;
  /// Issue slots that the warp uses; a pair uses one.
  std::size_t issues() const;

 private:
  struct Graph;
  std::unique_ptr<Graph> graph_;
};

}  // namespace sassim::model
