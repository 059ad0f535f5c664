// SPDX-License-Identifier: Apache-2.0
// cudaGetDriverEntryPoint of libcudart.so.12, by which programs of CUDA 12 find functions of the driver.
#include "sim/cuda/abi12.h"
#include "sim/cuda/export.h"
#include "sim/driver/call.h"
#include "sim/driver/entry_points.h"

namespace sassim::cuda {

SASSIM_CUDA Result SASSIM_12(cudaGetDriverEntryPoint)(const char* name, void** function, unsigned long long flags,
                                                      EntryStatus* status) {
  constexpr int kRuntimeVersion = 12040;
  if (!name || !function) return remember(kInvalidValue);
  EntryStatus found = kEntryUnknown;
  *function = find_entry(name, kRuntimeVersion, flags, found);
  if (status) *status = found;
  return remember(*function || status ? kSuccess : kSymbolNotFound);
}
SASSIM_CUDA Result SASSIM_12(cudaGetDriverEntryPoint_ptsz)(const char* name, void** function, unsigned long long flags,
                                                           EntryStatus* status) {
  if ((flags & kWithoutThreads) == 0) flags |= kStreamPerThread;
  return SASSIM_12(cudaGetDriverEntryPoint)(name, function, flags, status);
}

}  // namespace sassim::cuda
