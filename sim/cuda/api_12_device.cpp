// SPDX-License-Identifier: Apache-2.0
// The device, version and memory functions of libcudart.so.12 that CUDA 11 lacks or has with another meaning.
#include "sim/cuda/abi12.h"
#include "sim/cuda/device_properties.h"
#include "sim/cuda/export.h"
#include "sim/cuda/session.h"

namespace sassim::cuda {

SASSIM_CUDA Result SASSIM_12(cudaDriverGetVersion)(int* version) {
  constexpr int kVersion = 12040;
  if (!version) return remember(kInvalidValue);
  *version = kVersion;
  return kSuccess;
}
SASSIM_CUDA Result SASSIM_12(cudaRuntimeGetVersion)(int* version) { return SASSIM_12(cudaDriverGetVersion)(version); }

SASSIM_CUDA Result SASSIM_12(cudaGetDeviceProperties_v2)(v12::DeviceProperties* properties, int device) {
  const auto get = [&](Session& session) {
    if (!properties) return kInvalidValue;
    if (!session.has_device(device)) return kInvalidDevice;
    *properties = {};
    properties->common = device_properties(session.device(device));
    properties->host_register = properties->host_register_read_only = properties->memory_pools = 1;
    return kSuccess;
  };
  return call("cudaGetDeviceProperties_v2", get, AfterFault::works);
}

/// The first call of any function makes the session; flags are those of cudaSetDeviceFlags.
SASSIM_CUDA Result SASSIM_12(cudaInitDevice)(int device, unsigned, unsigned) {
  return call("cudaInitDevice",
              [&](Session& session) { return session.has_device(device) ? kSuccess : kInvalidDevice; });
}

SASSIM_CUDA Result SASSIM_12(cudaDeviceRegisterAsyncNotification)() {
  return unsupported("cudaDeviceRegisterAsyncNotification");
}
SASSIM_CUDA Result SASSIM_12(cudaDeviceUnregisterAsyncNotification)() {
  return unsupported("cudaDeviceUnregisterAsyncNotification");
}

SASSIM_CUDA Result SASSIM_12(cudaMemPrefetchAsync_v2)(const void*, std::size_t, v12::Location, unsigned, Stream) {
  return call("cudaMemPrefetchAsync_v2", [](Session&) { return kSuccess; });
}
SASSIM_12_PTSZ(cudaMemPrefetchAsync_v2);
SASSIM_CUDA Result SASSIM_12(cudaMemAdvise_v2)(const void*, std::size_t, int, v12::Location) {
  return call("cudaMemAdvise_v2", [](Session&) { return kSuccess; });
}

}  // namespace sassim::cuda
