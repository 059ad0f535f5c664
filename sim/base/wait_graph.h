// SPDX-License-Identifier: Apache-2.0
// A graph of waits when a run makes no progress: parts are nodes, waits are directed edges. A circular wait is a cycle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/base/error.h"

namespace sassim {

/// Parts add nodes and edges in a fixed order; the same input gives the same text and the same DOT.
class WaitGraph {
 public:
  using Node = std::size_t;

  /// `start`: of the launch, from which cycles in texts count.
  explicit WaitGraph(std::uint64_t start) : start_(start) {}
  WaitGraph() = default;
  std::uint64_t since_start(std::uint64_t cycle) const { return cycle < start_ ? 0 : cycle - start_; }

  /// The node with this name, made at its first use. Names are unique, so that parts can refer to each other's nodes by
  /// name.
  Node node(std::string_view name);
  /// Adds a description; it is appended to earlier ones.
  void describe(Node node, std::string_view detail);
  /// The age of a wait: the report begins with the oldest one.
  void set_age(Node node, std::uint64_t age);
  /// Adds an edge. The same wait added several times is one edge with a count.
  void waits(Node from, Node to, std::string_view why);

  bool contains(std::string_view name) const { return by_name_.contains(name); }
  std::size_t size() const { return nodes_.size(); }
  bool waits_for(Node from, Node to) const { return edge_.contains({from, to}); }
  std::size_t edges_of(Node node) const { return nodes_[node].out.size(); }
  const std::string& name(Node node) const { return nodes_[node].name; }
  const std::string& detail(Node node) const { return nodes_[node].detail; }

  /// For each set of nodes that wait for each other in a circle (strongly connected component), one shortest cycle that
  /// begins with its oldest node. The oldest cycle comes first.
  std::vector<std::vector<Node>> cycles() const;
  /// At most `lines` lines: cycles, then the waits of the oldest nodes, then nodes for which no other node waits.
  std::string text(std::size_t lines) const;
  /// The whole graph for Graphviz, with nodes and edges of cycles in red.
  std::string dot() const;

  /// For another process.
  template <class Archive>
  void state(Archive& archive) {
    archive(nodes_, by_name_, edge_);
  }

 private:
  static constexpr Node kNone = ~Node{0};
  static constexpr std::uint64_t kNoAge = ~std::uint64_t{0};
  struct Edge {
    Node to;
    std::string why;
    std::size_t count;
  };
  struct Entry {
    std::string name, detail;
    std::uint64_t age = kNoAge;
    std::vector<Edge> out;
    bool waited_for = false;
  };

  std::vector<std::size_t> components() const;
  std::vector<Node> shortest_cycle(Node start, const std::vector<std::size_t>& component) const;
  std::vector<Node> by_age() const;
  std::string line(Node node) const;
  std::string edge_text(const Edge& edge) const;

  std::uint64_t start_ = 0;
  std::vector<Entry> nodes_;
  std::map<std::string, Node, std::less<>> by_name_;
  std::map<std::pair<Node, Node>, std::size_t> edge_;  ///< index among the edges of `first`
};

/// A run without progress, with its waits at that time.
class Stuck final : public NoProgress {
 public:
  Stuck(const std::string& report, WaitGraph graph)
      : NoProgress(report), graph_(std::make_shared<const WaitGraph>(std::move(graph))) {}
  const WaitGraph& graph() const { return *graph_; }

 private:
  std::shared_ptr<const WaitGraph> graph_;  ///< shared because exceptions are copied
};

}  // namespace sassim
