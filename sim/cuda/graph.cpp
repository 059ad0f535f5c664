// SPDX-License-Identifier: Apache-2.0
// CUDA graphs without their API (api_graph*.cpp): nodes, capture of streams, instantiation, graphs inside of graphs.
#include "sim/cuda/graph.h"

#include <algorithm>
#include <set>
#include <utility>

#include "sim/base/default_float.h"
#include "sim/cuda/graph_branches.h"
#include "sim/cuda/host_callback.h"
#include "sim/cuda/inside_call.h"
#include "sim/cuda/session.h"

namespace sassim::cuda {
namespace {

std::size_t index_of(const Graph& graph, const GraphNode* node) {
  const auto found =
      std::find_if(graph.nodes.begin(), graph.nodes.end(), [&](const auto& n) { return n.get() == node; });
  return static_cast<std::size_t>(found - graph.nodes.begin());
}

void add_once(std::vector<GraphNode*>& to, const std::vector<GraphNode*>& more) {
  for (GraphNode* node : more)
    if (std::find(to.begin(), to.end(), node) == to.end()) to.push_back(node);
}

/// Whether all work of the capture comes before the next work of its first stream.
bool joined(const Capture& capture, const std::vector<GraphNode*>& end) {
  std::set<const GraphNode*> reached;
  std::vector<GraphNode*> open = end;
  while (!open.empty()) {
    GraphNode* node = open.back();
    open.pop_back();
    if (reached.insert(node).second) open.insert(open.end(), node->after.begin(), node->after.end());
  }
  const auto& nodes = capture.graph->nodes;
  return std::all_of(nodes.begin() + static_cast<std::ptrdiff_t>(std::min(capture.nodes_before, nodes.size())),
                     nodes.end(), [&](const auto& node) { return reached.contains(node.get()); });
}

Result break_capture(const CapturePoint& point, Result why) {
  point.capture->broken = true;
  return why;
}

}  // namespace

GraphNode* Graph::add(NodeContents contents, std::vector<GraphNode*> after) {
  nodes.push_back(std::make_unique<GraphNode>());
  GraphNode& node = *nodes.back();
  node.graph = this;
  node.contents = std::move(contents);
  node.after = std::move(after);
  return &node;
}

bool Graph::holds(const GraphNode* node) const { return index_of(*this, node) < nodes.size(); }

void Graph::remove(GraphNode* node) {
  for (const auto& other : nodes) std::erase(other->after, node);
  std::erase_if(nodes, [&](const auto& one) { return one.get() == node; });
}

std::vector<GraphNode*> Graph::order() const {
  std::vector<GraphNode*> result;
  std::set<const GraphNode*> done;
  while (result.size() < nodes.size()) {
    const std::size_t before = result.size();
    for (const auto& node : nodes) {
      if (done.contains(node.get())) continue;
      if (!std::all_of(node->after.begin(), node->after.end(), [&](GraphNode* n) { return done.contains(n); }))
        continue;
      result.push_back(node.get());
      done.insert(node.get());
    }
    if (result.size() == before) return {};
  }
  return result;
}

std::unique_ptr<Graph> Graph::clone() const {
  auto copy = std::make_unique<Graph>();
  for (const auto& node : nodes) copy->add(node->contents, {})->copy_of = node.get();
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (const GraphNode* before : nodes[i]->after)
      copy->nodes[i]->after.push_back(copy->nodes[index_of(*this, before)].get());
  return copy;
}

std::unique_ptr<GraphExec> instantiate(const Graph& graph) {
  auto exec = std::make_unique<GraphExec>();
  const std::vector<GraphNode*> order = graph.order();
  if (order.size() != graph.nodes.size()) return nullptr;
  for (const GraphNode* node : order) {
    GraphExec::Step step{.node = node, .contents = node->contents, .after = {}};
    for (const GraphNode* before : node->after)
      step.after.push_back(static_cast<std::size_t>(std::find(order.begin(), order.end(), before) - order.begin()));
    if (step.contents.instantiate) {
      step.contents.work = step.contents.instantiate(*exec);
      if (!step.contents.work) return nullptr;
    }
    exec->steps.push_back(std::move(step));
  }
  exec->conditions.insert(exec->conditions.end(), graph.conditions.begin(), graph.conditions.end());
  std::vector<std::vector<std::size_t>> after;
  for (const GraphExec::Step& step : exec->steps) after.push_back(step.after);
  const std::vector<std::size_t> branches = branches_of(after);
  for (std::size_t i = 0; i < branches.size(); ++i) exec->steps[i].branch = branches[i];
  return exec;
}

GraphExec::Step* GraphExec::find(const GraphNode* node) {
  const auto found = std::find_if(steps.begin(), steps.end(), [&](const Step& step) { return step.node == node; });
  return found == steps.end() ? nullptr : &*found;
}

bool GraphExec::update(const Graph& graph) {
  const std::unique_ptr<GraphExec> other = instantiate(graph);
  if (!other || other->steps.size() != steps.size()) return false;
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (steps[i].contents.type != other->steps[i].contents.type || steps[i].after != other->steps[i].after)
      return false;
  for (std::size_t i = 0; i < steps.size(); ++i) steps[i].contents = std::move(other->steps[i].contents);
  return true;
}

bool Graphs::holds(const GraphNode* node) const {
  return std::any_of(graphs.all().begin(), graphs.all().end(), [&](const auto& g) { return g->holds(node); });
}

void Graphs::reset() {
  graphs.reset();
  execs.reset();
  conditions.clear();
  branches.clear();
}

Result begin_capture(Session& session, Stream stream, CaptureMode mode, Graph* graph, std::vector<GraphNode*> after) {
  StreamState* state = session.find(stream);
  if (!state) return kInvalidResourceHandle;
  if (session.timeline().is_default(stream)) return kCaptureUnsupported;
  if (state->captured.capture) return kIllegalState;
  static std::uint64_t captures = 0;
  state->captured = {std::make_shared<Capture>(), std::move(after)};
  if (graph) {
    state->captured.capture->own.reset();
    state->captured.capture->graph = graph;
    state->captured.capture->nodes_before = graph->nodes.size();
  }
  state->captured.capture->origin = stream;
  state->captured.capture->id = ++captures;
  state->captured.capture->mode = mode;
  return kSuccess;
}

Result end_capture(Session& session, Stream stream, Graph*& graph) {
  StreamState* state = session.find(stream);
  if (!state) return kInvalidResourceHandle;
  const CapturePoint end = state->captured;
  if (!end.capture) return kIllegalState;
  if (end.capture->origin != stream) return break_capture(end, kCaptureUnmatched);
  end.capture->ended = true;
  session.timeline().for_each_stream([&](Stream, StreamState& other) {
    if (other.captured.capture == end.capture) other.captured = {};
  });
  if (end.capture->broken) return kCaptureInvalidated;
  if (!joined(*end.capture, end.after)) return kCaptureUnjoined;
  graph = end.capture->graph;
  if (end.capture->own) session.graphs().graphs.add(std::move(end.capture->own));
  return kSuccess;
}

Result record_event(Session& session, EventState& event, Stream stream) {
  StreamState* state = session.find(stream);
  if (!state) return kInvalidResourceHandle;
  event.captured = state->captured;
  if (!event.captured.capture) session.timeline().record(event, stream);
  return kSuccess;
}

Result wait_for_event(Session& session, Stream stream, EventState& event, Timeline& owner) {
  StreamState* state = session.find(stream);
  if (!state) return kInvalidResourceHandle;
  CapturePoint &here = state->captured, &there = event.captured;
  if (!there.capture) {
    if (here.capture) return break_capture(here, kCaptureIsolation);
    if (&owner == &session.timeline())
      session.timeline().wait(stream, event);
    else if (event.recorded)
      session.timeline().wait_for(stream, owner.time_of(event));
    return kSuccess;
  }
  if (there.capture->ended) return kInvalidValue;
  if (here.capture && here.capture != there.capture) return kCaptureMerge;
  here.capture = there.capture;
  add_once(here.after, there.after);
  return kSuccess;
}

Result check_not_captured(Session& session, Stream stream) {
  StreamState* state = session.find(stream);
  if (!state) return kInvalidResourceHandle;
  return state->captured.capture ? break_capture(state->captured, kCaptureUnsupported) : kSuccess;
}

Result check_nothing_captured(Session& session) {
  Result result = kSuccess;
  session.timeline().for_each_stream([&](Stream, StreamState& state) {
    if (state.captured.capture) result = break_capture(state.captured, kCaptureUnsupported);
  });
  return result;
}

CaptureMode& capture_mode_of_thread() {
  static thread_local CaptureMode mode = kGlobalCapture;
  return mode;
}

Result check_may_wait(Session& session) {
  Result result = kSuccess;
  const CaptureMode own = capture_mode_of_thread();
  if (own == kRelaxedCapture) return result;
  session.timeline().for_each_stream([&](Stream, StreamState& state) {
    const Capture* capture = state.captured.capture.get();
    if (!capture || capture->mode == kRelaxedCapture) return;
    const bool of_all = capture->mode == kGlobalCapture && own == kGlobalCapture;
    if (!of_all && capture->thread != std::this_thread::get_id()) return;
    result = break_capture(state.captured, kCaptureUnsupported);
  });
  return result;
}

Result check_event_in_time(const EventState& event) {
  if (!event.captured.capture) return kSuccess;
  return event.captured.capture->ended ? kInvalidValue : break_capture(event.captured, kCapturedEvent);
}

NodeContents host_work(const HostNodeParams& params) {
  return {.type = kHostNode, .work = [params](Stream) {
            const CallerFloat as_the_program_has_it;
            const OutsideCall in_the_program;
            const HostCallback callback;
            params.function(params.data);
            return kSuccess;
          }};
}

NodeContents child_work(Session& session, const GraphExec& exec) {
  return {.type = kGraphNode, .work = [&session, steps = exec.steps](Stream stream) {
            GraphBranches branches(session, stream, steps);
            for (std::size_t i = 0; i < steps.size(); ++i) {
              const Stream own = branches.begin(i);
              if (steps[i].enabled && steps[i].contents.work)
                if (const Result result = steps[i].contents.work(own); result != kSuccess) return result;
              branches.end(i);
            }
            branches.join();
            return kSuccess;
          }};
}

Result submit(Session& session, Stream stream, const NodeContents& contents) {
  StreamState* state = session.find(stream);
  if (!state) return kInvalidResourceHandle;
  if (CapturePoint& point = state->captured; point.capture) {
    if (point.capture->broken) return kCaptureInvalidated;
    point.after = {point.capture->graph->add(contents, point.after)};
    return kSuccess;
  }
  if (session.timeline().is_default(stream)) {  // it would wait for the blocking streams
    Result result = kSuccess;
    session.timeline().for_each_stream([&](Stream, StreamState& other) {
      if (other.blocking && other.captured.capture) result = break_capture(other.captured, kCaptureImplicit);
    });
    if (result != kSuccess) return result;
  }
  if (!contents.work) return kSuccess;
  if (contents.type == kKernelNode) session.timeline().submit();
  return contents.work(stream);
}

}  // namespace sassim::cuda
