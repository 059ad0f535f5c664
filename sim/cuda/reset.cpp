// SPDX-License-Identifier: Apache-2.0
// cudaDeviceReset: what a program has made on the device is gone, and its modules are loaded anew at their next use
// (validation/measured/h200/launches.md#runtime-limits). Also frees memory for cudaFree and its relatives.
#include <algorithm>
#include <utility>

#include "sim/cuda/graph_memory.h"
#include "sim/cuda/session.h"
#include "sim/emu/core/memory_check.h"

namespace sassim::cuda {

Result release(Session& session, void* pointer) {
  if (!pointer || session.host_memory().free(pointer, HostMemory::Kind::managed)) return kSuccess;
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (const std::optional<bool> of_graph = GraphMemories::of(session).release(address))
    return *of_graph ? kSuccess : kInvalidValue;
  Device& device = session.device_with(pointer);
  device.pools.release(address);
  if (emu::MemoryCheck* check = emu::MemoryCheck::active()) {
    if (check->has_freed(address)) return kInvalidValue;
    if (check->freed(address)) {
      for (const std::uint64_t old : check->release(device.memory.capacity() / 4))
        session.memory_with(reinterpret_cast<const void*>(old)).free(old);
      return kSuccess;
    }
  }
  return device.memory.free(address) ? kSuccess : kInvalidValue;
}

void Session::reset() {
  settle();
  const unsigned ordinal = device_->ordinal;
  const auto is_here = [&](std::uint64_t address) { return emu::device_of(address) == ordinal; };
  timeline().reset();
  arrays_.reset([&](const Array& array) { return is_here(array.image.address); });
  mipmapped_arrays_.reset([&](const MipmappedArray& array) { return is_here(array.address); });
  pools().reset();
  if (devices_.size() == 1) {  // graphs and textures of one device may work on another's memory
    graphs_.reset();
    textures_.clear();
    for (auto& [reference, texture] : texture_references_) texture.handle = textures_.add({});
  }
  const std::vector<ManagedContents> managed = ordinal == 0 ? managed_contents() : std::vector<ManagedContents>{};
  for (const auto& binary : binaries_) loaded(*binary) = {};
  host_memory_->reset(ordinal);
  memory().reset();
  for (auto& [handle, function] : functions_) {
    function->max_dynamic_shared = function->preferred_carveout = -1;
    function->non_portable_cluster = false;
    function->cluster = {0, 0, 0};
  }
  device_->limits = Device::kDefaultLimits;
  device_->flags = 0;
  launcher().renew();
  for (const auto& callback : at_reset_) callback();
  for (const ManagedContents& variable : managed) {
    use_managed(variable.handle);
    std::copy(variable.bytes.begin(), variable.bytes.end(),
              static_cast<std::byte*>(*variables_.at(variable.handle).managed));
  }
}

/// A __managed__ variable keeps its value and its place, because the host may use it at any time: modules that have
/// some are loaded again at once, in the order in which they were loaded first.
std::vector<Session::ManagedContents> Session::managed_contents() {
  std::vector<ManagedContents> managed;
  for (const void* handle : managed_) {
    const RegisteredVariable& variable = variables_.at(handle);
    if (!variable.managed || !*variable.managed) continue;  // no machine code for this GPU
    const auto* bytes = static_cast<const std::byte*>(*variable.managed);
    managed.push_back({handle, {bytes, bytes + this->variable(handle).bytes}});
  }
  return managed;
}

}  // namespace sassim::cuda
