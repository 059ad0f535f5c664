// SPDX-License-Identifier: Apache-2.0
// The runtime's device, error and version functions.
#include <cstring>

#include "sim/cuda/contexts.h"
#include "sim/cuda/device_properties.h"
#include "sim/cuda/export.h"
#include "sim/cuda/host_callback.h"
#include "sim/cuda/session.h"

namespace sassim::cuda {
namespace {
constexpr int kCudaVersion = 11080;
constexpr unsigned kDeviceMapHost = 8;  // cudaDeviceMapHost

/// A function that also works after a kernel's error, as on an H200.
Result always(const char* name, const std::function<Result(Session&)>& work) {
  const Result result = call(name, work, AfterFault::works);
  if (result == kSuccess) Contexts::driver_was_initialised();
  return result;
}
}  // namespace

SASSIM_CUDA Result cudaGetDeviceCount(int* count) {
  return always(__func__, [&](Session&) {
    if (!count) return kInvalidValue;
    *count = 1;
    return kSuccess;
  });
}
SASSIM_CUDA Result cudaGetDevice(int* device) {
  return always(__func__, [&](Session&) {
    if (!device) return kInvalidValue;
    *device = 0;
    return kSuccess;
  });
}
/// The device's primary context is current then, also for functions of the driver.
SASSIM_CUDA Result cudaSetDevice(int device) {
  const Result result = always(__func__, [&](Session&) { return device == 0 ? kSuccess : kInvalidDevice; });
  if (result == kSuccess) Contexts::runtime_was_called();
  return result;
}
SASSIM_CUDA Result cudaChooseDevice(int* device, const DeviceProperties*) { return cudaGetDevice(device); }
SASSIM_CUDA Result cudaSetDeviceFlags(unsigned flags) {
  return call(__func__, [&](Session& session) {
    session.set_device_flags(flags | kDeviceMapHost);
    return kSuccess;
  });
}
SASSIM_CUDA Result cudaGetDeviceFlags(unsigned* flags) {
  const auto get = [&](Session& session) {
    if (!flags) return kInvalidValue;
    *flags = session.device_flags();
    return kSuccess;
  };
  return always(__func__, get);
}
SASSIM_CUDA Result cudaGetDeviceProperties(DeviceProperties* properties, int device) {
  return always(__func__, [&](Session& session) {
    if (!properties) return kInvalidValue;
    if (device != 0) return kInvalidDevice;
    *properties = device_properties(session.gpu());
    return kSuccess;
  });
}
SASSIM_CUDA Result cudaDeviceGetAttribute(int* value, int attribute, int device) {
  return always(__func__, [&](Session& session) {
    if (!value) return kInvalidValue;
    return device == 0 ? device_attribute(session.gpu(), attribute, *value) : kInvalidDevice;
  });
}
SASSIM_CUDA Result cudaDeviceSynchronize() {
  return call(__func__, [](Session& session) {
    session.timeline().wait_on_host(session.timeline().end());
    session.launcher().close();
    return check_nothing_captured(session);
  });
}
/// After a kernel's error, the process cannot use the device any more, as on an H200.
SASSIM_CUDA Result cudaDeviceReset() {
  if (HostCallback::here()) return remember(kNotPermitted);
  const auto reset = [](Session& session) {
    session.reset();
    if (sticky() != kSuccess) set_sticky(kDevicesUnavailable);
    return kSuccess;
  };
  return always(__func__, reset);
}
SASSIM_CUDA Result cudaDeviceSetLimit(int limit, std::size_t value) {
  return call(__func__, [&](Session& session) {
    session.set_device_limit(limit, value);
    return kSuccess;
  });
}
SASSIM_CUDA Result cudaDeviceGetLimit(std::size_t* value, int limit) {
  return call(__func__, [&](Session& session) {
    if (!value) return kInvalidValue;
    *value = session.device_limit(limit);
    return kSuccess;
  });
}
SASSIM_CUDA Result cudaDeviceSetCacheConfig(int) {
  return call(__func__, [](Session&) { return kSuccess; });
}
SASSIM_CUDA Result cudaDeviceGetCacheConfig(int* config) {
  if (!config) return remember(kInvalidValue);
  *config = 0;
  return kSuccess;
}
SASSIM_CUDA Result cudaDeviceSetSharedMemConfig(int) {
  return call(__func__, [](Session&) { return kSuccess; });
}
SASSIM_CUDA Result cudaDeviceGetSharedMemConfig(int* config) {
  if (!config) return remember(kInvalidValue);
  *config = 1;  // banks of four bytes
  return kSuccess;
}
SASSIM_CUDA Result cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least) *least = 0;
  if (greatest) *greatest = -5;
  return kSuccess;
}
SASSIM_CUDA Result cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  if (!can) return remember(kInvalidValue);
  if (device != 0 || peer != 0) return remember(kInvalidDevice);
  *can = 0;
  return kSuccess;
}
SASSIM_CUDA Result cudaDeviceGetPCIBusId(char* id, int length, int device) {
  if (device != 0) return remember(kInvalidDevice);
  std::strncpy(id, "0000:00:00.0", static_cast<std::size_t>(length));
  return kSuccess;
}

SASSIM_CUDA Result cudaDriverGetVersion(int* version) {
  if (!version) return remember(kInvalidValue);
  *version = kCudaVersion;
  return kSuccess;
}
SASSIM_CUDA Result cudaRuntimeGetVersion(int* version) { return cudaDriverGetVersion(version); }

SASSIM_CUDA Result cudaGetLastError() { return last_error(true); }
SASSIM_CUDA Result cudaPeekAtLastError() { return last_error(false); }
SASSIM_CUDA const char* cudaGetErrorString(Result code) { return error_text(code).text; }
SASSIM_CUDA const char* cudaGetErrorName(Result code) { return error_text(code).name; }

SASSIM_CUDA Result cudaProfilerStart() { return kSuccess; }
SASSIM_CUDA Result cudaProfilerStop() { return kSuccess; }

}  // namespace sassim::cuda
