// SPDX-License-Identifier: Apache-2.0
// Common parts of the runtime's functions that add and change nodes of CUDA graphs.
#pragma once

#include <algorithm>
#include <vector>

#include "sim/cuda/graph.h"
#include "sim/cuda/session.h"

namespace sassim::cuda {

using Nodes = GraphNode* const*;

/// Adds a node; `make(session, contents)` fills in its contents.
template <class Make>
Result add_node(const char* name, GraphNode** node, Graph* graph, Nodes after, std::size_t count, Make make) {
  return call(name, [&](Session& session) {
    if (!node || !session.graphs().holds(graph) || (count != 0 && !after)) return kInvalidValue;
    const std::vector<GraphNode*> before(after, after + count);
    if (!std::all_of(before.begin(), before.end(), [&](GraphNode* n) { return graph->holds(n); })) return kInvalidValue;
    NodeContents contents;
    const Result result = make(session, contents);
    if (result == kSuccess) *node = graph->add(std::move(contents), before);
    return result;
  });
}

/// Calls `work(session)` if the node exists.
template <class F>
Result with_node(const char* name, const GraphNode* node, F work) {
  return call(name, [&](Session& session) { return session.graphs().holds(node) ? work(session) : kInvalidValue; });
}

/// Calls `change(session, step)` for the step that was made from `node`.
template <class F>
Result with_step(const char* name, GraphExec* exec, const GraphNode* node, F change) {
  return call(name, [&](Session& session) {
    GraphExec::Step* step = session.graphs().holds(exec) ? exec->find(node) : nullptr;
    return step ? change(session, *step) : kInvalidValue;
  });
}

/// Replaces the contents of a step; the type must stay the same.
template <class Make>
Result set_step(const char* name, GraphExec* exec, const GraphNode* node, NodeType type, Make make) {
  return with_step(name, exec, node, [&](Session& session, GraphExec::Step& step) {
    return step.contents.type == type ? make(session, step.contents) : kInvalidValue;
  });
}

}  // namespace sassim::cuda
