// SPDX-License-Identifier: Apache-2.0
// CUDA graphs: pieces of work with their dependences, built by calls or captured from streams. A graph is executed in
// an order that respects the dependences; in simulated time its branches overlap (graph_branches.h).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "sim/cuda/abi.h"
#include "sim/cuda/handles.h"
#include "sim/cuda/timeline.h"

namespace sassim::cuda {

class Session;
struct Graph;

/// cudaGraphNodeType
enum NodeType : int {
  kKernelNode = 0,
  kCopyNode = 1,
  kFillNode = 2,
  kHostNode = 3,
  kGraphNode = 4,
  kEmptyNode = 5,
  kWaitNode = 6,
  kRecordNode = 7,
};

/// Performs a piece of work on the given stream.
using Work = std::function<Result(Stream)>;

/// The arguments of a launch as values, for cudaGraphKernelNodeGetParams.
struct KernelCall {
  KernelNodeParams params{};
  std::vector<std::uint8_t> bytes;
  std::vector<void*> pointers;  ///< into `bytes`
};

struct GraphExec;

/// What a node does.
struct NodeContents {
  NodeType type = kEmptyNode;
  Work work = {};
  std::shared_ptr<KernelCall> call = {};  ///< of a kernel node
  /// Of a node with graphs of its own, which may get nodes until its graph is instantiated: gives the work then, or
  /// none if there is a cycle.
  std::function<Work(GraphExec&)> instantiate = {};
};

/// A value that kernels set, and that a conditional node looks at.
struct Condition {
  std::uint64_t handle;
  std::optional<std::uint32_t> at_launch;  ///< what a launch of the graph sets it to first
};

struct GraphNode {
  Graph* graph = nullptr;
  NodeContents contents;
  std::vector<GraphNode*> after;       ///< the nodes that it depends on
  const GraphNode* copy_of = nullptr;  ///< the original of a node in a clone
};

struct Graph {
  std::vector<std::unique_ptr<GraphNode>> nodes;
  std::vector<Condition> conditions;

  GraphNode* add(NodeContents, std::vector<GraphNode*> after);
  bool holds(const GraphNode*) const;
  /// Other nodes no longer depend on it.
  void remove(GraphNode*);
  /// All nodes, each after the nodes that it depends on, otherwise in the order in which they were added. Empty if
  /// there is a cycle.
  std::vector<GraphNode*> order() const;
  std::unique_ptr<Graph> clone() const;
};

/// The result of cudaGraphInstantiate: pieces of work in order. `node` identifies a step; the node may have been
/// destroyed.
struct GraphExec {
  struct Step {
    const GraphNode* node;
    NodeContents contents;
    std::vector<std::size_t> after;  ///< the earlier steps that it depends on
    bool enabled = true;
    std::size_t branch = 0;  ///< graph_branches.h
  };
  std::vector<Step> steps;
  std::vector<Condition> conditions;  ///< also of the graphs of its nodes

  Step* find(const GraphNode*);
  /// Takes the work of a graph with the same shape. Returns false without any change if the shape differs.
  bool update(const Graph&);
};

/// nullptr if the graph has a cycle.
std::unique_ptr<GraphExec> instantiate(const Graph&);

/// The objects behind all handles that the program has.
struct Graphs {
  Handles<Graph> graphs;
  Handles<GraphExec> execs;
  std::map<std::uint64_t, std::uint32_t> conditions;  ///< their values, by handle
  std::map<Stream, std::vector<Stream>> branches;     ///< the streams that launches in a stream have added

  bool holds(const Graph* graph) const { return graphs.holds(graph); }
  bool holds(const GraphExec* exec) const { return execs.holds(exec); }
  bool holds(const GraphNode*) const;
  void reset();
};

/// The threads whose allocation calls break a capture: all threads, the capturing thread, or none.
enum CaptureMode : int { kGlobalCapture = 0, kThreadCapture = 1, kRelaxedCapture = 2 };

/// A capture in progress. A stream joins it when it waits for one of the capture's events.
struct Capture {
  std::unique_ptr<Graph> own = std::make_unique<Graph>();
  Graph* graph = own.get();      ///< or one that the program has, which gets more nodes
  std::size_t nodes_before = 0;  ///< nodes that `graph` had when the capture began
  Stream origin = nullptr;
  std::uint64_t id = 0;
  CaptureMode mode = kGlobalCapture;
  std::thread::id thread = std::this_thread::get_id();
  bool broken = false;  ///< a call was made that cannot be captured
  bool ended = false;
};

/// `graph`: gets the nodes, the first of them behind `after`; nullptr: a new graph does.
Result begin_capture(Session&, Stream, CaptureMode, Graph* graph = nullptr, std::vector<GraphNode*> after = {});
/// Returns the graph, or an error code and no graph.
Result end_capture(Session&, Stream, Graph*& graph);
/// Records an event. In a captured stream, the event stands for the work that the stream has reached. A captured stream
/// cannot wait for an event from outside of its capture.
Result record_event(Session&, EventState&, Stream);
/// `owner`: the timeline of the event, which may be another device's.
Result wait_for_event(Session&, Stream, EventState&, Timeline& owner);
/// Returns an error if `stream` is being captured, or any stream if `stream` stands for the whole device: the host
/// cannot wait for it.
Result check_not_captured(Session&, Stream);
Result check_nothing_captured(Session&);
/// Which captures forbid the calling thread to wait or allocate: those of any thread that were begun as global, those
/// that the thread itself has begun, or none (cudaThreadExchangeStreamCaptureMode). Captures begun as relaxed never do.
CaptureMode& capture_mode_of_thread();
/// Returns an error if a capture in progress forbids the call: for calls that wait for the device and for allocations.
Result check_may_wait(Session&);
/// Returns an error if the event was last recorded in a capture; this breaks the capture.
Result check_event_in_time(const EventState&);

NodeContents host_work(const HostNodeParams&);
/// A graph as one piece of work in another graph.
NodeContents child_work(Session&, const GraphExec&);

/// Performs the next work of a stream, or adds it to the graph if the stream is being captured.
Result submit(Session&, Stream, const NodeContents&);

}  // namespace sassim::cuda
