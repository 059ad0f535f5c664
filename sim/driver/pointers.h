// SPDX-License-Identifier: Apache-2.0
// What the driver says about a pointer (cuPointerGetAttribute).
#pragma once

#include <optional>

#include "sim/cuda/session.h"
#include "sim/driver/abi.h"

namespace sassim::cuda {

inline void* as_pointer(DevicePointer address) { return reinterpret_cast<void*>(address); }
inline DevicePointer as_address(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

/// An allocation by the addresses that the program has.
struct Range {
  DevicePointer base = 0;
  std::size_t bytes = 0;
};
/// The allocation on the device, or of pinned, managed or registered memory, that holds a pointer.
std::optional<Range> allocation_of(Session&, DevicePointer);
bool is_managed(Session&, DevicePointer);

/// CUpointer_attribute
enum PointerAttribute : int {
  kPointerContext = 1,
  kPointerMemoryType = 2,
  kPointerDevice = 3,
  kPointerHost = 4,
  kPointerP2PTokens = 5,
  kPointerSyncMemops = 6,
  kPointerBufferId = 7,
  kPointerIsManaged = 8,
  kPointerDeviceOrdinal = 9,
  kPointerIpcCapable = 10,
  kPointerRangeStart = 11,
  kPointerRangeSize = 12,
  kPointerMapped = 13,
  kPointerHandleTypes = 14,
  kPointerRdmaCapable = 15,
  kPointerAccessFlags = 16,
  kPointerPool = 17,
  kPointerMappingSize = 18,
  kPointerMappingBase = 19,
  kPointerBlockId = 20,
};
/// Writes an attribute in the attribute's own size. kInvalidValue: CUDA does not know the pointer.
Result pointer_attribute(Session&, void* value, int attribute, DevicePointer);
/// Writes what cuPointerGetAttributes gives for a pointer that CUDA does not know.
void clear_attribute(void* value, int attribute);

}  // namespace sassim::cuda
