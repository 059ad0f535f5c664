// SPDX-License-Identifier: Apache-2.0
// The driver's functions for memory of the device and of the host, and for what a pointer points to.
#include "sim/cuda/export.h"
#include "sim/driver/abi.h"
#include "sim/driver/call.h"
#include "sim/driver/pointers.h"

namespace sassim::cuda {
namespace {

using Kind = HostMemory::Kind;

constexpr unsigned kAttachGlobal = 1, kAttachHost = 2, kAttachSingle = 4;
constexpr std::size_t kPitchUnit = 512;

Result allocate(Session& session, DevicePointer* pointer, std::size_t bytes) {
  if (!pointer || bytes == 0) return kInvalidValue;
  if (const Result result = check_may_wait(session); result != kSuccess) return result;
  *pointer = session.memory().allocate(bytes);
  if (*pointer == 0) return kMemoryAllocation;
  if (!context().primary) context().memory.insert(*pointer);
  return kSuccess;
}

Result allocate_host(Session& session, void** pointer, std::size_t bytes, Kind kind, unsigned flags) {
  if (!pointer || bytes == 0) return kInvalidValue;
  if (const Result result = check_may_wait(session); result != kSuccess) return result;
  *pointer = session.host_memory().allocate(bytes, kind, flags, session.device().ordinal);
  if (!*pointer) return kMemoryAllocation;
  if (!context().primary) context().host_memory.insert(*pointer);
  return kSuccess;
}

Result release(Session& session, DevicePointer pointer) {
  if (const Result result = check_may_wait(session); result != kSuccess) return result;
  for (const auto& context : Contexts::of_this_process().all()) {
    context->memory.erase(pointer);
    context->host_memory.erase(as_pointer(pointer));  // managed memory
  }
  return sassim::cuda::release(session, as_pointer(pointer));
}

}  // namespace

SASSIM_CUDA Result cuMemGetInfo_v2(std::size_t* free_bytes, std::size_t* total) {
  return in_context(__func__, [&](Session& session) {
    if (!free_bytes || !total) return kInvalidValue;
    *total = session.memory().capacity();
    *free_bytes = *total - session.memory().used();
    return kSuccess;
  });
}
SASSIM_CUDA Result cuMemAlloc_v2(DevicePointer* pointer, std::size_t bytes) {
  return in_context(__func__, [&](Session& session) { return allocate(session, pointer, bytes); });
}
SASSIM_CUDA Result cuMemAllocPitch_v2(DevicePointer* pointer, std::size_t* pitch, std::size_t width, std::size_t height,
                                      unsigned element) {
  return in_context(__func__, [&](Session& session) {
    if (!pitch || width == 0 || height == 0 || (element != 4 && element != 8 && element != 16)) return kInvalidValue;
    const std::size_t rounded = (width + kPitchUnit - 1) / kPitchUnit * kPitchUnit;
    std::size_t bytes = 0;
    if (rounded < width) return kInvalidValue;
    if (__builtin_mul_overflow(rounded, height, &bytes)) return kMemoryAllocation;
    const Result result = allocate(session, pointer, bytes);
    if (result == kSuccess) *pitch = rounded;
    return result;
  });
}
SASSIM_CUDA Result cuMemFree_v2(DevicePointer pointer) {
  return in_context(__func__, [&](Session& session) { return release(session, pointer); });
}
SASSIM_CUDA Result cuMemGetAddressRange_v2(DevicePointer* base, std::size_t* bytes, DevicePointer pointer) {
  return in_context(__func__, [&](Session& session) {
    const std::optional<Range> range = allocation_of(session, pointer);
    if (!range) return kSymbolNotFound;
    if (base) *base = range->base;
    if (bytes) *bytes = range->bytes;
    return kSuccess;
  });
}

SASSIM_CUDA Result cuMemHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
  return in_context(__func__, [&](Session& session) {
    if ((flags & ~(kHostPortable | kHostMapped | kHostWriteCombined)) != 0) return kInvalidValue;
    return allocate_host(session, pointer, bytes, Kind::pinned, flags);
  });
}
SASSIM_CUDA Result cuMemAllocHost_v2(void** pointer, std::size_t bytes) { return cuMemHostAlloc(pointer, bytes, 0); }
SASSIM_CUDA Result cuMemFreeHost(void* pointer) {
  return in_context(__func__, [&](Session& session) {
    for (const auto& context : Contexts::of_this_process().all()) context->host_memory.erase(pointer);
    return session.host_memory().free(pointer, Kind::pinned) ? kSuccess : kInvalidValue;
  });
}
SASSIM_CUDA Result cuMemAllocManaged(DevicePointer* pointer, std::size_t bytes, unsigned flags) {
  return in_context(__func__, [&](Session& session) {
    if (!pointer || (flags != kAttachGlobal && flags != kAttachHost && flags != kAttachSingle)) return kInvalidValue;
    void* host = nullptr;
    const Result result = allocate_host(session, &host, bytes, Kind::managed, flags);
    if (result == kSuccess) *pointer = as_address(host);
    return result;
  });
}

SASSIM_CUDA Result cuMemHostRegister_v2(void* pointer, std::size_t bytes, unsigned flags) {
  return in_context(__func__, [&](Session& session) {
    return session.host_memory().add(pointer, bytes, flags, session.device().ordinal);
  });
}
SASSIM_CU_ALSO(cuMemHostRegister_v2, cuMemHostRegister);
SASSIM_CUDA Result cuMemHostUnregister(void* pointer) {
  return in_context(__func__, [&](Session& session) { return session.host_memory().remove(pointer); });
}
SASSIM_CUDA Result cuMemHostGetDevicePointer_v2(DevicePointer* device, void* host, unsigned flags) {
  return in_context(__func__, [&](Session& session) {
    const HostMemory::Piece* piece = session.host_memory().find(host);
    if (!device || flags != 0 || !piece || piece->kind == Kind::managed) return kInvalidValue;
    *device = as_address(host);  // addresses are unified
    return kSuccess;
  });
}
SASSIM_CUDA Result cuMemHostGetFlags(unsigned* flags, void* host) {
  return in_context(__func__, [&](Session& session) {
    const HostMemory::Piece* piece = session.host_memory().find(host);
    if (!flags || !piece || piece->kind == Kind::managed) return kInvalidValue;
    *flags = piece->flags | kHostMapped;  // all of it is
    return kSuccess;
  });
}

SASSIM_CUDA Result cuPointerGetAttribute(void* value, int attribute, DevicePointer pointer) {
  return ask(__func__, [&](Session& session) {
    return value ? pointer_attribute(session, value, attribute, pointer) : kInvalidValue;
  });
}
SASSIM_CUDA Result cuPointerGetAttributes(unsigned count, const int* attributes, void** values, DevicePointer pointer) {
  return ask(__func__, [&](Session& session) {
    if (!attributes || !values || count == 0) return kInvalidValue;
    for (unsigned i = 0; i < count; ++i) {
      if (!values[i]) return kInvalidValue;
      clear_attribute(values[i], attributes[i]);
      const Result result = pointer_attribute(session, values[i], attributes[i], pointer);
      if (result == kNotSupported) return result;
    }
    return kSuccess;
  });
}
SASSIM_CUDA Result cuPointerSetAttribute(const void* value, int attribute, DevicePointer pointer) {
  return in_context(__func__, [&](Session& session) {
    constexpr int kSyncMemops = 6;  // copies that wait, as all do
    if (!value || attribute != kSyncMemops || !allocation_of(session, pointer)) return kInvalidValue;
    return kSuccess;
  });
}

SASSIM_CUDA Result cuMemPrefetchAsync(DevicePointer pointer, std::size_t bytes, int, Stream stream) {
  return in_context(__func__, [&](Session& session) {
    if (const Result result = check_stream(session, stream); result != kSuccess) return result;
    return bytes != 0 && is_managed(session, pointer) ? kSuccess : kInvalidValue;
  });
}
SASSIM_CU_PTSZ(cuMemPrefetchAsync);
SASSIM_CUDA Result cuMemAdvise(DevicePointer pointer, std::size_t bytes, int, int) {
  return in_context(__func__, [&](Session& session) {
    return bytes != 0 && is_managed(session, pointer) ? kSuccess : kInvalidValue;
  });
}

}  // namespace sassim::cuda
