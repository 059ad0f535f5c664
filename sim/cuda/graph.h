// SPDX-License-Identifier: Apache-2.0
// CUDA graphs: pieces of work and what each comes after, built by calls or captured from streams, and played back in an
// order that respects it. The simulated device runs one piece at a time, so that this order is all there is to a graph.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "sim/cuda/abi.h"
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
};

/// Does a piece of work now, on the given stream.
using Work = std::function<Result(Stream)>;

/// A launch's arguments as values: kept for cudaGraphKernelNodeGetParams.
struct KernelCall {
  KernelNodeParams params{};
  std::vector<std::uint8_t> bytes;
  std::vector<void*> pointers;  ///< into `bytes`
};

struct NodeContents {
  NodeType type = kEmptyNode;
  Work work = {};
  std::shared_ptr<KernelCall> call = {};  ///< of a kernel
};

struct GraphNode {
  Graph* graph = nullptr;
  NodeContents contents;
  std::vector<GraphNode*> after;
  const GraphNode* copy_of = nullptr;  ///< in a clone
};

struct Graph {
  std::vector<std::unique_ptr<GraphNode>> nodes;

  GraphNode* add(NodeContents, std::vector<GraphNode*> after);
  bool holds(const GraphNode*) const;
  /// Every node behind those that it comes after, else as they were added; empty when there is a cycle.
  std::vector<GraphNode*> order() const;
  std::unique_ptr<Graph> clone() const;
};

/// What cudaGraphInstantiate makes: the pieces of work in order. `node` identifies a step and may be gone.
struct GraphExec {
  struct Step {
    const GraphNode* node;
    NodeContents contents;
    std::vector<std::size_t> after;
    bool enabled = true;
  };
  std::vector<Step> steps;

  Step* find(const GraphNode*);
  /// Takes the work of a graph of the same shape; false, and nothing is changed, when it has another.
  bool update(const Graph&);
};

/// nullptr when the graph has a cycle.
std::unique_ptr<GraphExec> instantiate(const Graph&);

/// Everything that the program has handles of.
struct Graphs {
  std::vector<std::unique_ptr<Graph>> graphs;
  std::vector<std::unique_ptr<GraphExec>> execs;

  bool holds(const Graph*) const;
  bool holds(const GraphExec*) const;
  bool holds(const GraphNode*) const;
};

/// Whose calls of allocation functions break a capture: any thread's, its own thread's, nobody's.
enum CaptureMode : int { kGlobalCapture = 0, kThreadCapture = 1, kRelaxedCapture = 2 };

/// A capture in progress. Streams join it by waiting for its events.
struct Capture {
  std::unique_ptr<Graph> graph = std::make_unique<Graph>();
  Stream origin = nullptr;
  std::uint64_t id = 0;
  CaptureMode mode = kGlobalCapture;
  std::thread::id thread = std::this_thread::get_id();
  bool broken = false;  ///< something was done that cannot be captured
  bool ended = false;
};

Result begin_capture(Session&, Stream, CaptureMode);
/// The graph, or an error code and none.
Result end_capture(Session&, Stream, std::unique_ptr<Graph>& graph);
/// An event of a capture is what its stream had come to; one of no capture is none of a captured stream's business.
Result record_event(Session&, EventState&, Stream);
Result wait_for_event(Session&, Stream, EventState&);
/// An error when `stream`, or for all of the device any stream, is being captured: that cannot be waited for.
Result check_not_captured(Session&, Stream);
Result check_nothing_captured(Session&);
/// An error when a capture that forbids it is in progress: for calls that wait for the device, and for allocation.
Result check_may_wait(Session&);
/// An error when the event is not one of time: it was last recorded in a capture, which ends by it.
Result check_event_in_time(const EventState&);

NodeContents host_work(const HostNodeParams&);
/// A graph as one piece of another.
NodeContents child_work(const GraphExec&);

/// Does a stream's next piece of work, or adds it to the graph that the stream is being captured into.
Result submit(Session&, Stream, const NodeContents&);

}  // namespace sassim::cuda
