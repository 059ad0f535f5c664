// SPDX-License-Identifier: Apache-2.0
// The driver's functions that reserve addresses, create memory and map one to the other (cuMemCreate, cuMemMap, ...).
#include "sim/cuda/export.h"
#include "sim/driver/call.h"
#include "sim/driver/virtual_memory.h"

namespace sassim::cuda {
namespace {

VirtualMemory& memory() { return VirtualMemory::get(); }

/// CUmemAccessDesc
struct AccessOf {
  int place, device;
  MemoryAccess access;
};

}  // namespace

SASSIM_CUDA Result cuMemGetAllocationGranularity(std::size_t* bytes, const MemoryProperties* properties, int option) {
  return ask(__func__, [&](Session& session) {
    if (!bytes || !properties || option < 0 || option > 1) return kInvalidValue;
    if (!session.has_device(properties->device)) return kInvalidDevice;
    *bytes = emu::DeviceMemory::kPageBytes;
    return kSuccess;
  });
}
SASSIM_CUDA Result cuMemAddressReserve(std::uint64_t* address, std::size_t bytes, std::size_t alignment,
                                       std::uint64_t /*wish*/, unsigned long long flags) {
  return drive(__func__, Needs::init, [&](Session& session) {
    return flags == 0 ? memory().reserve(session, address, bytes, alignment) : kInvalidValue;
  });
}
SASSIM_CUDA Result cuMemAddressFree(std::uint64_t address, std::size_t bytes) {
  return drive(__func__, Needs::init, [&](Session& session) { return memory().unreserve(session, address, bytes); });
}
SASSIM_CUDA Result cuMemCreate(std::uint64_t* handle, std::size_t bytes, const MemoryProperties* properties,
                               unsigned long long flags) {
  return drive(__func__, Needs::init, [&](Session& session) {
    if (!properties || flags != 0) return kInvalidValue;
    if (properties->handles != 0) return driver_lacks("cuMemCreate for sharing with other processes");
    return memory().create(session, handle, bytes, *properties);
  });
}
SASSIM_CUDA Result cuMemRelease(std::uint64_t handle) {
  return drive(__func__, Needs::init, [&](Session& session) { return memory().release(session, handle); });
}
SASSIM_CUDA Result cuMemRetainAllocationHandle(std::uint64_t* handle, std::uint64_t address) {
  return drive(__func__, Needs::init, [&](Session&) { return memory().retain(handle, address); });
}
SASSIM_CUDA Result cuMemGetAllocationPropertiesFromHandle(MemoryProperties* properties, std::uint64_t handle) {
  return ask(__func__, [&](Session&) { return properties ? memory().properties(handle, *properties) : kInvalidValue; });
}
SASSIM_CUDA Result cuMemMap(std::uint64_t address, std::size_t bytes, std::size_t offset, std::uint64_t handle,
                            unsigned long long flags) {
  return drive(__func__, Needs::init, [&](Session& session) {
    return flags == 0 ? memory().map(session, address, bytes, offset, handle) : kInvalidValue;
  });
}
SASSIM_CUDA Result cuMemUnmap(std::uint64_t address, std::size_t bytes) {
  return drive(__func__, Needs::init, [&](Session& session) { return memory().unmap(session, address, bytes); });
}
SASSIM_CUDA Result cuMemSetAccess(std::uint64_t address, std::size_t bytes, const AccessOf* access, std::size_t count) {
  return drive(__func__, Needs::init, [&](Session& session) {
    if (!access || count == 0) return kInvalidValue;
    for (std::size_t i = 0; i < count; ++i) {
      const AccessOf& one = access[i];
      if (one.place != 1) return kInvalidValue;
      if (!session.has_device(one.device)) return kInvalidDevice;
      if (one.access == kReadAccess) return driver_lacks("cuMemSetAccess of memory that kernels only read");
      if (one.access != kNoAccess && one.access != kReadWriteAccess) return kInvalidValue;
      const Result result = memory().set_access(session, address, bytes, static_cast<unsigned>(one.device), one.access);
      if (result != kSuccess) return result;
    }
    return kSuccess;
  });
}
SASSIM_CUDA Result cuMemGetAccess(unsigned long long* flags, const int* place, std::uint64_t address) {
  return ask(__func__, [&](Session& session) {
    if (!flags || !place || place[0] != 1) return kInvalidValue;
    if (!session.has_device(place[1])) return kInvalidDevice;
    MemoryAccess access = kNoAccess;
    const Result result = memory().access(address, static_cast<unsigned>(place[1]), access);
    *flags = static_cast<unsigned long long>(access);
    return result;
  });
}

}  // namespace sassim::cuda
