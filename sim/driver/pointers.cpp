// SPDX-License-Identifier: Apache-2.0
// Answers cuPointerGetAttribute: the allocation, context and device of a pointer.
#include "sim/driver/pointers.h"

#include <cstring>

#include "sim/cuda/contexts.h"

namespace sassim::cuda {
namespace {

constexpr int kInvalidOrdinal = -2;  // CU_DEVICE_INVALID
constexpr std::uint64_t kReadWrite = 3;

template <class T>
Result put(void* to, T value) {
  std::memcpy(to, &value, sizeof value);
  return kSuccess;
}

Context* owner_of(DevicePointer base) {
  for (const auto& context : Contexts::of_this_process().all())
    if (context->memory.contains(base) || context->host_memory.contains(as_pointer(base))) return context.get();
  const unsigned device = emu::device_of(base);
  return &Contexts::of_this_process().primary(device == emu::kMostDevices ? 0 : device);
}

/// A number for an allocation that no other live one has: where it begins on the simulated GPU.
std::uint64_t number_of(const Session& session, const Range& range) {
  return session.device_address(as_pointer(range.base)) >> 8;
}

}  // namespace

std::optional<Range> allocation_of(Session& session, DevicePointer pointer) {
  const std::uint64_t address = session.device_address(as_pointer(pointer));
  const emu::Allocation* piece = session.memory_with(as_pointer(address)).find(address);
  if (!piece) return std::nullopt;
  return Range{piece->address + (pointer - address), piece->bytes};
}

bool is_managed(Session& session, DevicePointer pointer) {
  const HostMemory::Piece* piece = session.host_memory().find(as_pointer(pointer));
  return piece && piece->kind == HostMemory::Kind::managed;
}

Result pointer_attribute(Session& session, void* value, int attribute, DevicePointer pointer) {
  const std::optional<Range> range = allocation_of(session, pointer);
  if (!range) return kInvalidValue;
  const HostMemory::Piece* host = session.host_memory().find(as_pointer(pointer));
  const bool managed = is_managed(session, pointer);
  switch (attribute) {
    case kPointerContext:
      return put(value, owner_of(range->base));
    case kPointerMemoryType:
      return put(value, static_cast<unsigned>(host && !managed ? kPlaceHost : kPlaceDevice));
    case kPointerDevice:
      return put(value, pointer);
    case kPointerHost:
      return host ? put(value, as_pointer(pointer)) : kInvalidValue;
    case kPointerSyncMemops:
      return put(value, 0u);
    case kPointerBufferId:
    case kPointerBlockId:
      return put(value, number_of(session, *range));
    case kPointerIsManaged:
      return put(value, managed ? 1u : 0u);
    case kPointerDeviceOrdinal:
      return put(value, static_cast<int>(session.device_with(as_pointer(pointer)).ordinal));
    case kPointerIpcCapable:
    case kPointerRdmaCapable:
      return put(value, 0u);
    case kPointerRangeStart:
    case kPointerMappingBase:
      return put(value, range->base);
    case kPointerRangeSize:
    case kPointerMappingSize:
      return put(value, range->bytes);
    case kPointerMapped:
      return put(value, 1u);
    case kPointerHandleTypes:
      return put(value, std::uint64_t{0});
    case kPointerAccessFlags:
      return put(value, static_cast<unsigned>(kReadWrite));
    case kPointerPool:
      return put(value, session.device_with(as_pointer(pointer)).pools.owner(range->base));
    case kPointerP2PTokens:
      return kNotSupported;
    default:
      return kInvalidValue;
  }
}

void clear_attribute(void* value, int attribute) {
  switch (attribute) {
    case kPointerContext:
    case kPointerDevice:
    case kPointerHost:
    case kPointerBufferId:
    case kPointerRangeStart:
    case kPointerRangeSize:
    case kPointerHandleTypes:
    case kPointerPool:
    case kPointerMappingSize:
    case kPointerMappingBase:
    case kPointerBlockId:
      put(value, std::uint64_t{0});
      return;
    case kPointerDeviceOrdinal:
      put(value, kInvalidOrdinal);
      return;
    case kPointerP2PTokens:
      return;
    default:
      put(value, 0u);
  }
}

}  // namespace sassim::cuda
