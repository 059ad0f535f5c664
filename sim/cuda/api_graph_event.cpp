// SPDX-License-Identifier: Apache-2.0
// The runtime's functions for nodes of graphs that record an event or wait for one.
#include "sim/cuda/add_node.h"
#include "sim/cuda/export.h"

namespace sassim::cuda {
namespace {

struct EventWork {
  Session* session;
  NodeType type;
  Event event;
  Result operator()(Stream stream) const {
    Device& here = session->device();
    EventState* state = session->find(event);
    Timeline& owner = session->timeline();
    session->turn_to(here);
    if (!state || (type == kRecordNode && &owner != &here.timeline)) return kInvalidResourceHandle;
    if (type == kRecordNode)
      owner.mark(*state, stream);
    else if (&owner == &here.timeline)
      owner.wait(stream, *state);
    else if (state->recorded)
      here.timeline.wait_for(stream, owner.time_of(*state));
    return kSuccess;
  }
};

Result event_node(Session& session, NodeType type, Event event, NodeContents& contents) {
  if (!session.find(event)) return session.timeline().was_reset(event) ? kContextIsDestroyed : kInvalidValue;
  contents = {.type = type, .work = EventWork{&session, type, event}};
  return kSuccess;
}

Result add(const char* name, NodeType type, GraphNode** node, Graph* graph, Nodes after, std::size_t count,
           Event event) {
  return add_node(name, node, graph, after, count,
                  [&](Session& session, NodeContents& contents) { return event_node(session, type, event, contents); });
}
Result give(const char* name, NodeType type, const GraphNode* node, Event* event) {
  return with_node(name, node, [&](Session&) {
    const auto* work = node->contents.work.target<EventWork>();
    if (!event || !work || work->type != type) return kInvalidValue;
    *event = work->event;
    return kSuccess;
  });
}
Result change(const char* name, NodeType type, GraphNode* node, Event event) {
  return with_node(name, node, [&](Session& session) {
    return node->contents.type == type ? event_node(session, type, event, node->contents) : kInvalidValue;
  });
}
Result change_step(const char* name, NodeType type, GraphExec* exec, const GraphNode* node, Event event) {
  return set_step(name, exec, node, type,
                  [&](Session& session, NodeContents& contents) { return event_node(session, type, event, contents); });
}

}  // namespace

SASSIM_CUDA Result cudaGraphAddEventRecordNode(GraphNode** node, Graph* graph, Nodes after, std::size_t count,
                                               Event event) {
  return add(__func__, kRecordNode, node, graph, after, count, event);
}
SASSIM_CUDA Result cudaGraphAddEventWaitNode(GraphNode** node, Graph* graph, Nodes after, std::size_t count,
                                             Event event) {
  return add(__func__, kWaitNode, node, graph, after, count, event);
}
SASSIM_CUDA Result cudaGraphEventRecordNodeGetEvent(GraphNode* node, Event* event) {
  return give(__func__, kRecordNode, node, event);
}
SASSIM_CUDA Result cudaGraphEventWaitNodeGetEvent(GraphNode* node, Event* event) {
  return give(__func__, kWaitNode, node, event);
}
SASSIM_CUDA Result cudaGraphEventRecordNodeSetEvent(GraphNode* node, Event event) {
  return change(__func__, kRecordNode, node, event);
}
SASSIM_CUDA Result cudaGraphEventWaitNodeSetEvent(GraphNode* node, Event event) {
  return change(__func__, kWaitNode, node, event);
}
SASSIM_CUDA Result cudaGraphExecEventRecordNodeSetEvent(GraphExec* exec, GraphNode* node, Event event) {
  return change_step(__func__, kRecordNode, exec, node, event);
}
SASSIM_CUDA Result cudaGraphExecEventWaitNodeSetEvent(GraphExec* exec, GraphNode* node, Event event) {
  return change_step(__func__, kWaitNode, exec, node, event);
}

}  // namespace sassim::cuda
