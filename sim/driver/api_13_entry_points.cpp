// SPDX-License-Identifier: Apache-2.0
// cudaGetDriverEntryPoint and its relatives of libcudart.so.13, by which programs of CUDA 13 find functions of the
// driver.
#include "sim/cuda/abi13.h"
#include "sim/cuda/export.h"
#include "sim/driver/call.h"
#include "sim/driver/entry_points.h"

namespace sassim::cuda {
namespace {

Result find_driver_function(const char* name, void** function, int version, unsigned long long flags,
                            EntryStatus* status) {
  if (!name || !function) return remember(kInvalidValue);
  EntryStatus found = kEntryUnknown;
  *function = find_entry(name, version, flags, found);
  if (status) *status = found;
  return remember(*function || status ? kSuccess : kSymbolNotFound);
}
unsigned long long with_threads(unsigned long long flags) {
  return (flags & kWithoutThreads) == 0 ? flags | kStreamPerThread : flags;
}
constexpr int kRuntime13 = 13000;

}  // namespace

SASSIM_CUDA Result SASSIM_13(cudaGetDriverEntryPoint)(const char* name, void** function, unsigned long long flags,
                                                      EntryStatus* status) {
  return find_driver_function(name, function, kRuntime13, flags, status);
}
SASSIM_CUDA Result SASSIM_13(cudaGetDriverEntryPoint_ptsz)(const char* name, void** function, unsigned long long flags,
                                                           EntryStatus* status) {
  return find_driver_function(name, function, kRuntime13, with_threads(flags), status);
}
SASSIM_CUDA Result SASSIM_13(cudaGetDriverEntryPointByVersion)(const char* name, void** function, unsigned version,
                                                               unsigned long long flags, EntryStatus* status) {
  return find_driver_function(name, function, static_cast<int>(version), flags, status);
}
SASSIM_CUDA Result SASSIM_13(cudaGetDriverEntryPointByVersion_ptsz)(const char* name, void** function, unsigned version,
                                                                    unsigned long long flags, EntryStatus* status) {
  return find_driver_function(name, function, static_cast<int>(version), with_threads(flags), status);
}

}  // namespace sassim::cuda
