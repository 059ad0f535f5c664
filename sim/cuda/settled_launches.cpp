// SPDX-License-Identifier: Apache-2.0
// Finds an earlier launch with the same kernel, arguments and memory, whose result still holds.
#include "sim/cuda/settled_launches.h"

#include <algorithm>

namespace sassim::cuda {
namespace {

/// Both numbers only rise.
std::uint64_t version_for(const DeviceLaunch& request, const emu::DeviceMemory& memory) {
  return memory.version() + (request.launch.textures ? request.launch.textures->version() : 0);
}

/// All but the number of the launch, which a settled launch does not read.
bool same(const emu::LaunchConfig& a, const emu::LaunchConfig& b) {
  return a.grid == b.grid && a.block == b.block && a.dynamic_shared == b.dynamic_shared && a.params == b.params &&
         a.stack_bytes == b.stack_bytes && a.heap_bytes == b.heap_bytes && a.cooperative == b.cooperative &&
         a.cluster == b.cluster && a.max_instructions == b.max_instructions && a.watchdog == b.watchdog &&
         a.resident_blocks == b.resident_blocks && a.textures == b.textures && a.texture_words == b.texture_words &&
         a.sm_count == b.sm_count && a.virtual_config == b.virtual_config && a.strict_memory == b.strict_memory;
}

}  // namespace

const emu::RunResult* SettledLaunches::find(const DeviceLaunch& request, const emu::DeviceMemory& memory) const {
  if (launches_.empty() || version_ != version_for(request, memory)) return nullptr;
  const auto found = std::ranges::find_if(launches_, [&](const Settled& settled) {
    return settled.code_address == request.kernel.code_address && same(settled.launch, request.launch);
  });
  return found == launches_.end() ? nullptr : &found->result;
}

void SettledLaunches::executed(const DeviceLaunch& request, emu::DeviceMemory& memory, const emu::RunResult& result) {
  if (!result.settled) {
    memory.changed();
    return;
  }
  const std::uint64_t version = version_for(request, memory);
  if (version != version_) launches_.clear();
  version_ = version;
  launches_.push_back({request.kernel.code_address, request.launch, result});
}

}  // namespace sassim::cuda
