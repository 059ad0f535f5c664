// SPDX-License-Identifier: Apache-2.0
// Finds circular waits in the wait-for graph of a hung run, and writes it as text or for Graphviz.
#include "sim/base/wait_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>
#include <deque>
#include <set>

namespace sassim {
namespace {
using BoostGraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;

/// The lines of a report up to a limit.
class Lines {
 public:
  explicit Lines(std::size_t most) : left_(most) {}
  /// One line is kept for a remark about the lines left out.
  bool full() const { return left_ <= 1; }
  /// Returns false if there was no room.
  bool add(const std::string& line) {
    if (full()) return false;
    --left_;
    text_ += line + '\n';
    return true;
  }
  std::string end(std::size_t hidden) const {
    return hidden == 0 || left_ == 0 ? text_ : text_ + fmt::format("({} more waits are not shown)\n", hidden);
  }

 private:
  std::size_t left_;
  std::string text_;
};

/// A string in Graphviz's language.
std::string in_quotes(std::string_view text) {
  std::string safe = "\"";
  for (const char c : text) {
    if (c == '\n') {
      safe += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') safe += '\\';
    safe += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  }
  return safe + '"';
}

constexpr std::size_t kShownEdges = 4;  ///< per node, in the text

}  // namespace

WaitGraph::Node WaitGraph::node(std::string_view name) {
  const auto found = by_name_.find(name);
  if (found != by_name_.end()) return found->second;
  nodes_.push_back({std::string(name), {}, kNoAge, {}, false});
  by_name_.emplace(name, nodes_.size() - 1);
  return nodes_.size() - 1;
}

void WaitGraph::describe(Node node, std::string_view detail) {
  std::string& known = nodes_[node].detail;
  if (!known.empty()) known += "; ";
  known += detail;
}

void WaitGraph::set_age(Node node, std::uint64_t age) { nodes_[node].age = age; }

void WaitGraph::waits(Node from, Node to, std::string_view why) {
  std::vector<Edge>& out = nodes_[from].out;
  const auto [place, is_new] = edge_.try_emplace({from, to}, out.size());
  if (is_new)
    out.push_back({to, std::string(why), 1});
  else if (out[place->second].why == why)
    ++out[place->second].count;
  else
    out[place->second].why += fmt::format(", {}", why);
  nodes_[to].waited_for = true;
}

std::vector<std::size_t> WaitGraph::components() const {
  BoostGraph graph(nodes_.size());
  for (Node n = 0; n < nodes_.size(); ++n)
    for (const Edge& edge : nodes_[n].out) boost::add_edge(n, edge.to, graph);
  std::vector<std::size_t> component(nodes_.size());
  if (!nodes_.empty())
    boost::strong_components(
        graph, boost::make_iterator_property_map(component.begin(), boost::get(boost::vertex_index, graph)));
  return component;
}

/// Searches breadth-first within the component; empty if the node is in no cycle.
std::vector<WaitGraph::Node> WaitGraph::shortest_cycle(Node start, const std::vector<std::size_t>& component) const {
  std::map<Node, Node> before;
  std::deque<Node> open{start};
  Node last = kNone;
  for (; !open.empty() && last == kNone; open.pop_front()) {
    for (const Edge& edge : nodes_[open.front()].out) {
      if (component[edge.to] != component[start]) continue;
      if (edge.to == start) {
        last = open.front();
        break;
      }
      if (before.try_emplace(edge.to, open.front()).second) open.push_back(edge.to);
    }
  }
  std::vector<Node> cycle;
  for (Node n = last; n != kNone; n = n == start ? kNone : before.at(n)) cycle.push_back(n);
  std::reverse(cycle.begin(), cycle.end());
  return cycle;
}

std::vector<WaitGraph::Node> WaitGraph::by_age() const {
  std::vector<Node> all(nodes_.size());
  for (Node n = 0; n < all.size(); ++n) all[n] = n;
  std::stable_sort(all.begin(), all.end(), [&](Node a, Node b) { return nodes_[a].age < nodes_[b].age; });
  return all;
}

std::vector<std::vector<WaitGraph::Node>> WaitGraph::cycles() const {
  const std::vector<std::size_t> component = components();
  std::vector<bool> done(nodes_.size());
  std::vector<std::vector<Node>> all;
  for (const Node node : by_age()) {
    if (done[component[node]]) continue;
    done[component[node]] = true;
    if (auto cycle = shortest_cycle(node, component); !cycle.empty()) all.push_back(std::move(cycle));
  }
  return all;
}

std::string WaitGraph::line(Node node) const {
  const Entry& entry = nodes_[node];
  return entry.detail.empty() ? entry.name : fmt::format("{}: {}", entry.name, entry.detail);
}

std::string WaitGraph::edge_text(const Edge& edge) const {
  return edge.count == 1 ? edge.why : fmt::format("{} ({} times)", edge.why, edge.count);
}

std::string WaitGraph::text(std::size_t most) const {
  Lines lines(most);
  std::vector<bool> shown(nodes_.size());
  const auto follow = [&](const Edge& edge, std::size_t depth) {
    const std::string to = shown[edge.to] ? fmt::format("{} (above)", name(edge.to)) : line(edge.to);
    if (lines.add(fmt::format("{:{}}{} -> {}", "", 2 * depth, edge_text(edge), to))) shown[edge.to] = true;
  };
  for (const std::vector<Node>& cycle : cycles()) {
    lines.add(fmt::format("these {} wait for each other in a circle:", cycle.size()));
    if (lines.add("  " + line(cycle[0]))) shown[cycle[0]] = true;
    for (std::size_t i = 0; i < cycle.size(); ++i)
      follow(nodes_[cycle[i]].out[edge_.at({cycle[i], cycle[(i + 1) % cycle.size()]})], 1);
  }
  for (const Node root : by_age()) {
    const Entry& first = nodes_[root];
    if (shown[root] || lines.full() || (first.age == kNoAge && (first.waited_for || first.out.empty()))) continue;
    lines.add(line(root));
    shown[root] = true;
    // Prints all waits of a node; the chain continues at the first one that leads to a new node.
    Node node = root;
    for (std::size_t depth = 1; node != kNone && !lines.full(); ++depth) {
      const std::vector<Edge>& out = nodes_[node].out;
      node = kNone;
      for (std::size_t i = 0; i < std::min(out.size(), kShownEdges); ++i) {
        if (!shown[out[i].to] && node == kNone) node = out[i].to;
        follow(out[i], depth);
      }
      if (out.size() > kShownEdges)
        lines.add(fmt::format("{:{}}and {} more like these", "", 2 * depth, out.size() - kShownEdges));
    }
  }
  return lines.end(static_cast<std::size_t>(std::count(shown.begin(), shown.end(), false)));
}

std::string WaitGraph::dot() const {
  std::vector<bool> circular(nodes_.size());
  std::set<std::pair<Node, Node>> in_cycle;
  for (const std::vector<Node>& cycle : cycles())
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      circular[cycle[i]] = true;
      in_cycle.emplace(cycle[i], cycle[(i + 1) % cycle.size()]);
    }
  std::string text = "digraph waits {\n  node [shape=box];\n";
  for (Node n = 0; n < nodes_.size(); ++n)
    text += fmt::format("  n{} [label={}{}];\n", n,
                        in_quotes(nodes_[n].detail.empty() ? name(n) : fmt::format("{}\n{}", name(n), detail(n))),
                        circular[n] ? ", color=red" : "");
  for (Node n = 0; n < nodes_.size(); ++n)
    for (const Edge& edge : nodes_[n].out)
      text += fmt::format("  n{} -> n{} [label={}{}];\n", n, edge.to, in_quotes(edge_text(edge)),
                          in_cycle.contains({n, edge.to}) ? ", color=red" : "");
  return text + "}\n";
}

}  // namespace sassim
