// SPDX-License-Identifier: Apache-2.0
// Device memory that a CUDA graph allocates. It has its address when the node is added; the program may use it from the
// launch that allocates it until something frees it: a node of the same graph, of another one, or a call.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "sim/cuda/graph.h"
#include "sim/cuda/pool_properties.h"
#include "sim/emu/memory/device_memory.h"

namespace sassim::cuda {

/// cudaGraphNodeType
inline constexpr NodeType kAllocationNode{10}, kFreeNode{11};

/// cudaMemAllocNodeParams
struct AllocationNodeParams {
  PoolProperties pool;
  const void* access;
  std::size_t accesses, bytes;
  void* pointer;
};

/// Nodes and steps share it: when none is left, its address is given back, unless the program still uses it.
class GraphMemory {
 public:
  GraphMemory(emu::DeviceMemory& device, std::uint64_t at, std::uint64_t size)
      : address(at), bytes(size), device_(device) {}
  ~GraphMemory() {
    if (!used) device_.free(address);
  }
  GraphMemory(const GraphMemory&) = delete;
  GraphMemory& operator=(const GraphMemory&) = delete;

  const std::uint64_t address, bytes;
  bool used = false;  ///< allocated by a launch and not freed yet

 private:
  emu::DeviceMemory& device_;
};

/// The pieces of all graphs, and what they use together.
class GraphMemories {
 public:
  /// Those of the process; a reset of the device forgets them.
  static GraphMemories& of(Session&);

  /// nullptr: no memory is left.
  std::shared_ptr<GraphMemory> reserve(emu::DeviceMemory&, std::uint64_t bytes);
  /// nullptr: the address is none of a graph.
  std::shared_ptr<GraphMemory> find(std::uint64_t address) const;
  /// A launch allocates it; false if it is used already.
  bool allocate(GraphMemory&);
  /// Frees the memory of a graph; empty if the address is none of a graph, otherwise whether it was used.
  std::optional<bool> release(std::uint64_t address);
  /// cudaGraphMemAttribute: used now and at most, reserved now and at most.
  std::uint64_t& attribute(int which) { return bytes_[static_cast<std::size_t>(which)]; }
  static constexpr int kUsed = 0, kUsedHigh = 1, kReserved = 2, kReservedHigh = 3;
  /// Launches of these free what an earlier launch has allocated and nothing has freed.
  std::set<const GraphExec*> free_on_launch;

 private:
  std::map<std::uint64_t, std::weak_ptr<GraphMemory>> pieces_;
  std::array<std::uint64_t, 4> bytes_{};
};

/// The work of a node that allocates, and of one that frees what a graph or a call has allocated.
struct AllocationWork {
  Session* session;
  AllocationNodeParams params;
  std::shared_ptr<GraphMemory> memory;
  Result operator()(Stream) const;
};
struct FreeWork {
  Session* session;
  void* pointer;
  std::shared_ptr<GraphMemory> memory;  ///< kept as long as a node may free it
  Result operator()(Stream) const;
};

/// `params.bytes` of new memory, whose address is left there.
Result allocation_node(Session&, AllocationNodeParams& params, NodeContents&);
NodeContents free_node(Session&, void* pointer);

/// Before a graph is launched: memory that its nodes allocate must not be in use, or is freed, as the program wished.
Result check_graph_memory(Session&, const GraphExec&);

}  // namespace sassim::cuda
