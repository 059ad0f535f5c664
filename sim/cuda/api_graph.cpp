// SPDX-License-Identifier: Apache-2.0
// The runtime's functions that build and query graphs.
#include <algorithm>

#include "sim/cuda/add_node.h"
#include "sim/cuda/export.h"
#include "sim/cuda/node_work.h"

namespace sassim::cuda {
namespace {

Result make_graph(Session& session, std::unique_ptr<Graph> graph, Graph** handle) {
  *handle = session.graphs().graphs.add(std::move(graph));
  return kSuccess;
}

/// Returns a list as CUDA does: only its size if there is no buffer, otherwise as many entries as fit.
Result give(const std::vector<GraphNode*>& nodes, GraphNode** to, std::size_t* count) {
  if (!count) return kInvalidValue;
  if (to)
    for (std::size_t i = 0; i < *count; ++i) to[i] = i < nodes.size() ? nodes[i] : nullptr;
  *count = to ? std::min(*count, nodes.size()) : nodes.size();
  return kSuccess;
}

template <class Choose>
Result give_nodes(const char* name, Graph* graph, GraphNode** to, std::size_t* count, Choose choose) {
  return call(name, [&](Session& session) {
    if (!session.graphs().holds(graph)) return kInvalidValue;
    std::vector<GraphNode*> nodes;
    for (const auto& node : graph->nodes)
      if (choose(*node)) nodes.push_back(node.get());
    return give(nodes, to, count);
  });
}

}  // namespace

SASSIM_CUDA Result cudaGraphCreate(Graph** graph, unsigned) {
  return call(__func__, [&](Session& session) {
    return graph ? make_graph(session, std::make_unique<Graph>(), graph) : kInvalidValue;
  });
}
SASSIM_CUDA Result cudaGraphClone(Graph** clone, Graph* graph) {
  return call(__func__, [&](Session& session) {
    return clone && session.graphs().holds(graph) ? make_graph(session, graph->clone(), clone) : kInvalidValue;
  });
}
SASSIM_CUDA Result cudaGraphDestroy(Graph* graph) {
  return call(__func__, [&](Session& session) {
    Handles<Graph>& graphs = session.graphs().graphs;
    return graphs.erase(graph) || graphs.was_reset(graph) ? kSuccess : kInvalidValue;
  });
}

SASSIM_CUDA Result cudaGraphAddEmptyNode(GraphNode** node, Graph* graph, Nodes after, std::size_t count) {
  return add_node(__func__, node, graph, after, count, [](Session&, NodeContents&) { return kSuccess; });
}
SASSIM_CUDA Result cudaGraphAddKernelNode(GraphNode** node, Graph* graph, Nodes after, std::size_t count,
                                          const KernelNodeParams* params) {
  return add_node(__func__, node, graph, after, count,
                  [&](Session& session, NodeContents& contents) { return kernel_node(session, params, contents); });
}
SASSIM_CUDA Result cudaGraphAddMemcpyNode(GraphNode** node, Graph* graph, Nodes after, std::size_t count,
                                          const Copy3D* params) {
  return add_node(__func__, node, graph, after, count,
                  [&](Session& session, NodeContents& contents) { return copy_node(session, params, contents); });
}
SASSIM_CUDA Result cudaGraphAddMemcpyNode1D(GraphNode** node, Graph* graph, Nodes after, std::size_t count, void* to,
                                            const void* from, std::size_t bytes, CopyKind kind) {
  return add_node(__func__, node, graph, after, count, [&](Session& session, NodeContents& contents) {
    contents = copy_work(session, to, from, {.width = bytes}, kind);
    return kSuccess;
  });
}
SASSIM_CUDA Result cudaGraphAddMemsetNode(GraphNode** node, Graph* graph, Nodes after, std::size_t count,
                                          const FillNodeParams* params) {
  return add_node(__func__, node, graph, after, count,
                  [&](Session& session, NodeContents& contents) { return fill_node(session, params, contents); });
}
SASSIM_CUDA Result cudaGraphAddHostNode(GraphNode** node, Graph* graph, Nodes after, std::size_t count,
                                        const HostNodeParams* params) {
  return add_node(__func__, node, graph, after, count,
                  [&](Session&, NodeContents& contents) { return host_node(params, contents); });
}
SASSIM_CUDA Result cudaGraphAddChildGraphNode(GraphNode** node, Graph* graph, Nodes after, std::size_t count,
                                              Graph* child) {
  return add_node(__func__, node, graph, after, count, [&](Session& session, NodeContents& contents) {
    const auto exec = session.graphs().holds(child) ? instantiate(*child) : nullptr;
    if (exec) contents = child_work(session, *exec);
    return exec ? kSuccess : kInvalidValue;
  });
}
SASSIM_CUDA Result cudaGraphAddDependencies(Graph* graph, Nodes from, Nodes to, std::size_t count) {
  return call(__func__, [&](Session& session) {
    if (!session.graphs().holds(graph) || (count != 0 && (!from || !to))) return kInvalidValue;
    for (std::size_t i = 0; i < count; ++i) {
      if (!graph->holds(from[i]) || !graph->holds(to[i]) || from[i] == to[i]) return kInvalidValue;
      to[i]->after.push_back(from[i]);
    }
    return kSuccess;
  });
}

SASSIM_CUDA Result cudaGraphRemoveDependencies(Graph* graph, Nodes from, Nodes to, std::size_t count) {
  return call(__func__, [&](Session& session) {
    if (!session.graphs().holds(graph) || (count != 0 && (!from || !to))) return kInvalidValue;
    for (std::size_t i = 0; i < count; ++i)
      if (!graph->holds(to[i]) || std::erase(to[i]->after, from[i]) == 0) return kInvalidValue;
    return kSuccess;
  });
}
SASSIM_CUDA Result cudaGraphDestroyNode(GraphNode* node) {
  return with_node(__func__, node, [&](Session&) {
    node->graph->remove(node);
    return kSuccess;
  });
}

SASSIM_CUDA Result cudaGraphGetNodes(Graph* graph, GraphNode** nodes, std::size_t* count) {
  return give_nodes(__func__, graph, nodes, count, [](const GraphNode&) { return true; });
}
SASSIM_CUDA Result cudaGraphGetRootNodes(Graph* graph, GraphNode** nodes, std::size_t* count) {
  return give_nodes(__func__, graph, nodes, count, [](const GraphNode& node) { return node.after.empty(); });
}
SASSIM_CUDA Result cudaGraphGetEdges(Graph* graph, GraphNode** from, GraphNode** to, std::size_t* count) {
  return call(__func__, [&](Session& session) {
    if (!session.graphs().holds(graph) || !count || !from != !to) return kInvalidValue;
    std::vector<GraphNode*> begins, ends;
    for (const auto& node : graph->nodes)
      for (GraphNode* before : node->after) {
        begins.push_back(before);
        ends.push_back(node.get());
      }
    std::size_t places = *count;
    give(begins, from, &places);
    return give(ends, to, count);
  });
}
SASSIM_CUDA Result cudaGraphNodeGetType(GraphNode* node, int* type) {
  return with_node(__func__, node, [&](Session&) {
    if (!type) return kInvalidValue;
    *type = node->contents.type;
    return kSuccess;
  });
}
SASSIM_CUDA Result cudaGraphNodeGetDependencies(GraphNode* node, GraphNode** nodes, std::size_t* count) {
  return with_node(__func__, node, [&](Session&) { return give(node->after, nodes, count); });
}
SASSIM_CUDA Result cudaGraphNodeGetDependentNodes(GraphNode* node, GraphNode** nodes, std::size_t* count) {
  return with_node(__func__, node, [&](Session&) {
    std::vector<GraphNode*> later;
    for (const auto& other : node->graph->nodes)
      if (std::find(other->after.begin(), other->after.end(), node) != other->after.end()) later.push_back(other.get());
    return give(later, nodes, count);
  });
}
SASSIM_CUDA Result cudaGraphNodeFindInClone(GraphNode** found, GraphNode* original, Graph* clone) {
  return call(__func__, [&](Session& session) {
    if (!found || !session.graphs().holds(clone)) return kInvalidValue;
    for (const auto& node : clone->nodes)
      if (node->copy_of == original) {
        *found = node.get();
        return kSuccess;
      }
    return kInvalidValue;
  });
}
SASSIM_CUDA Result cudaGraphKernelNodeGetParams(GraphNode* node, KernelNodeParams* params) {
  return with_node(__func__, node, [&](Session&) {
    if (!params || !node->contents.call) return kInvalidValue;
    *params = node->contents.call->params;
    return kSuccess;
  });
}
SASSIM_CUDA Result cudaGraphKernelNodeSetParams(GraphNode* node, const KernelNodeParams* params) {
  return with_node(__func__, node, [&](Session& session) {
    return node->contents.type == kKernelNode ? kernel_node(session, params, node->contents) : kInvalidValue;
  });
}

SASSIM_CUDA Result cudaGraphMemcpyNodeSetParams(GraphNode* node, const Copy3D* params) {
  return with_node(__func__, node, [&](Session& session) {
    return node->contents.type == kCopyNode ? copy_node(session, params, node->contents) : kInvalidValue;
  });
}
SASSIM_CUDA Result cudaGraphMemsetNodeSetParams(GraphNode* node, const FillNodeParams* params) {
  return with_node(__func__, node, [&](Session& session) {
    return node->contents.type == kFillNode ? fill_node(session, params, node->contents) : kInvalidValue;
  });
}
SASSIM_CUDA Result cudaGraphHostNodeSetParams(GraphNode* node, const HostNodeParams* params) {
  return with_node(__func__, node, [&](Session&) {
    return node->contents.type == kHostNode ? host_node(params, node->contents) : kInvalidValue;
  });
}

}  // namespace sassim::cuda
