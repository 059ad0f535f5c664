// SPDX-License-Identifier: Apache-2.0
// Nodes of CUDA graphs that allocate or free device memory.
#include "sim/cuda/graph_memory.h"

#include <algorithm>
#include <utility>

#include "sim/cuda/session.h"

namespace sassim::cuda {

std::shared_ptr<GraphMemory> GraphMemories::reserve(emu::DeviceMemory& device, std::uint64_t bytes) {
  const std::uint64_t address = device.allocate(bytes);
  if (address == 0) return nullptr;
  auto memory = std::make_shared<GraphMemory>(device, address, bytes);
  pieces_[address] = memory;
  return memory;
}

std::shared_ptr<GraphMemory> GraphMemories::find(std::uint64_t address) const {
  const auto found = pieces_.find(address);
  return found == pieces_.end() ? nullptr : found->second.lock();
}

bool GraphMemories::allocate(GraphMemory& memory) {
  if (memory.used) return false;
  memory.used = true;
  bytes_[kUsed] += memory.bytes;
  bytes_[kReserved] = std::max(bytes_[kReserved], bytes_[kUsed]);
  bytes_[kUsedHigh] = std::max(bytes_[kUsedHigh], bytes_[kUsed]);
  bytes_[kReservedHigh] = std::max(bytes_[kReservedHigh], bytes_[kReserved]);
  return true;
}

std::optional<bool> GraphMemories::release(std::uint64_t address) {
  const auto found = pieces_.find(address);
  if (found == pieces_.end()) return std::nullopt;
  const std::shared_ptr<GraphMemory> memory = found->second.lock();
  if (!memory) {  // the graph is gone; the memory belongs to the program now
    pieces_.erase(found);
    return std::nullopt;
  }
  if (memory->used) bytes_[kUsed] -= memory->bytes;
  return std::exchange(memory->used, false);
}

GraphMemories& GraphMemories::of(Session& session) {
  static GraphMemories all;
  static const bool watched = [&session] {
    session.at_reset([] { all = {}; });
    return true;
  }();
  static_cast<void>(watched);
  return all;
}

Result AllocationWork::operator()(Stream) const {
  return GraphMemories::of(*session).allocate(*memory) ? kSuccess : kInvalidValue;
}
Result FreeWork::operator()(Stream) const { return release(*session, pointer); }

Result allocation_node(Session& session, AllocationNodeParams& params, NodeContents& contents) {
  emu::DeviceMemory& device = session.device(params.pool.device).memory;
  const auto memory = GraphMemories::of(session).reserve(device, params.bytes);
  if (!memory) return kMemoryAllocation;
  params.pointer = reinterpret_cast<void*>(memory->address);
  contents = {.type = kAllocationNode, .work = AllocationWork{&session, params, memory}};
  return kSuccess;
}

NodeContents free_node(Session& session, void* pointer) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  return {.type = kFreeNode, .work = FreeWork{&session, pointer, GraphMemories::of(session).find(address)}};
}

Result check_graph_memory(Session& session, const GraphExec& exec) {
  GraphMemories& memories = GraphMemories::of(session);
  for (const GraphExec::Step& step : exec.steps) {
    const auto* work = step.contents.work.target<AllocationWork>();
    if (!work || !work->memory->used) continue;
    if (!memories.free_on_launch.contains(&exec)) return kInvalidValue;
    memories.release(work->memory->address);
  }
  return kSuccess;
}

}  // namespace sassim::cuda
