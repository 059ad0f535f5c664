// SPDX-License-Identifier: Apache-2.0
// Builds the graph of dependences and issues of executed instructions, and finds its longest path by Boost.Graph.
#include "sim/model/execution_graph.h"

#include <algorithm>
#include <array>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dag_shortest_paths.hpp>
#include <optional>

namespace sassim::model {

namespace {

using Weighted =
    boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property, ExecutionGraph::Edge>;

/// The last writer of each register and predicate.
class Writers {
 public:
  template <class Visit>
  void producers(const isa::Decoded& consumer, Visit visit) const {
    for (const isa::RegisterUse& use : consumer.reads)
      for (std::size_t r = use.first; r < std::size_t{use.first} + use.count; ++r) call(visit, file(use), r);
    for (std::size_t p = 0; p < predicates_.size(); ++p) {
      if (consumer.pred_reads >> p & 1) call(visit, predicates_, p);
      if (consumer.upred_reads >> p & 1) call(visit, uniform_predicates_, p);
    }
  }

  void write(const isa::Decoded& producer, std::size_t at) {
    for (const isa::RegisterUse& use : producer.writes)
      for (std::size_t r = use.first; r < std::size_t{use.first} + use.count; ++r)
        (use.uniform ? uniforms_ : registers_).at(r) = at;
    for (std::size_t p = 0; p < predicates_.size(); ++p) {
      if (producer.pred_writes >> p & 1) predicates_[p] = at;
      if (producer.upred_writes >> p & 1) uniform_predicates_[p] = at;
    }
  }

 private:
  using Slot = std::optional<std::size_t>;
  using File = std::array<Slot, 512>;  // a run of registers may start at R255

  const File& file(const isa::RegisterUse& use) const { return use.uniform ? uniforms_ : registers_; }
  template <class Visit, class Slots>
  static void call(Visit& visit, const Slots& slots, std::size_t index) {
    if (slots.at(index)) visit(*slots.at(index));
  }

  File registers_, uniforms_;
  std::array<Slot, 8> predicates_, uniform_predicates_;
};

}  // namespace

struct ExecutionGraph::Graph {
  explicit Graph(std::size_t nodes) : edges(nodes) {}

  Weighted edges;
  std::size_t issues = 0;

  void add(const Edge& edge) { boost::add_edge(edge.from, edge.to, edge, edges); }

  /// The longest distance of each instruction from the first one, and its predecessor on such a path.
  std::vector<double> distances(std::vector<std::size_t>& before) const {
    const std::size_t nodes = boost::num_vertices(edges);
    std::vector<double> far(nodes);
    before.resize(nodes);
    constexpr double kUnreached = -1;
    boost::dag_shortest_paths(edges, 0,
                              boost::weight_map(boost::get(&Edge::cycles, edges))
                                  .distance_map(far.data())
                                  .predecessor_map(before.data())
                                  .distance_compare(std::greater<>())
                                  .distance_combine([](double a, double b) { return a < 0 ? a : a + b; })
                                  .distance_inf(kUnreached)
                                  .distance_zero(0.0));
    return far;
  }
};

ExecutionGraph::ExecutionGraph(std::span<const isa::Decoded> executed, const LatencyRules& rules)
    : graph_(std::make_unique<Graph>(executed.size() + 1)) {
  Writers writers;
  bool taken = true;  // the previous instruction is in a pair; the first instruction has no predecessor
  for (std::size_t i = 0; i < executed.size(); ++i) {
    std::vector<std::size_t> producers;
    writers.producers(executed[i], [&](std::size_t from) { producers.push_back(from); });
    std::sort(producers.begin(), producers.end());
    producers.erase(std::unique(producers.begin(), producers.end()), producers.end());
    for (const std::size_t from : producers)
      graph_->add({from, i, EdgeKind::dependence, rules.dependence(executed[from])});

    const bool depends = i > 0 && !producers.empty() && producers.back() == i - 1;
    const bool paired = !taken && !depends && rules.pairs && rules.pairs(executed[i - 1], executed[i]);
    if (i > 0)
      graph_->add(paired ? Edge{i - 1, i, EdgeKind::dual_issue, 0}
                         : Edge{i - 1, i, EdgeKind::next_issue, rules.next_issue(executed[i - 1])});
    if (!paired) ++graph_->issues;
    taken = paired;
    writers.write(executed[i], i);
  }
  if (!executed.empty()) graph_->add({executed.size() - 1, executed.size(), EdgeKind::replacement, rules.replacement});
}

ExecutionGraph::~ExecutionGraph() = default;
ExecutionGraph::ExecutionGraph(ExecutionGraph&&) noexcept = default;
ExecutionGraph& ExecutionGraph::operator=(ExecutionGraph&&) noexcept = default;

std::vector<double> ExecutionGraph::issue_times() const {
  std::vector<std::size_t> before;
  return graph_->distances(before);
}

double ExecutionGraph::longest_path() const { return issue_times().back(); }

std::vector<ExecutionGraph::Edge> ExecutionGraph::critical_path() const {
  std::vector<std::size_t> before;
  const std::vector<double> far = graph_->distances(before);
  const std::vector<Edge> all = edges();
  std::vector<Edge> path;
  for (std::size_t at = far.size() - 1; at != 0; at = before[at]) {
    // Two edges may join the same instructions; the path uses the longer one.
    Edge longest{before[at], at, EdgeKind::next_issue, -1};
    for (const Edge& edge : all)
      if (edge.from == before[at] && edge.to == at && edge.cycles > longest.cycles) longest = edge;
    path.push_back(longest);
  }
  std::reverse(path.begin(), path.end());
  return path;
}

std::vector<ExecutionGraph::Edge> ExecutionGraph::edges() const {
  std::vector<Edge> all;
  for (std::size_t node = 0; node < boost::num_vertices(graph_->edges); ++node) {
    const auto [begin, end] = boost::out_edges(node, graph_->edges);
    for (auto at = begin; at != end; ++at) all.push_back(graph_->edges[*at]);
  }
  return all;
}

std::size_t ExecutionGraph::issues() const { return graph_->issues; }

}  // namespace sassim::model
