// SPDX-License-Identifier: Apache-2.0
// The runtime's device, error and version functions.
#include <utility>

#include "sim/cuda/contexts.h"
#include "sim/cuda/device_properties.h"
#include "sim/cuda/export.h"
#include "sim/cuda/host_callback.h"
#include "sim/cuda/peers.h"
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

/// A program that counts on more devices gets a line that says how it can have them.
Result no_such_device(const Session& session, int device) {
  static bool told = false;
  if (device >= 0 && !std::exchange(told, true))
    explain(
        fmt::format("cudaSetDevice: there is no device {}, the first of {} is device 0; 'sassim exec --devices N' "
                    "makes more",
                    device, session.devices()));
  return kInvalidDevice;
}
}  // namespace

SASSIM_CUDA Result cudaGetDeviceCount(int* count) {
  return always(__func__, [&](Session& session) {
    if (!count) return kInvalidValue;
    *count = static_cast<int>(session.devices());
    return kSuccess;
  });
}
SASSIM_CUDA Result cudaGetDevice(int* device) {
  return always(__func__, [&](Session& session) {
    if (!device) return kInvalidValue;
    *device = static_cast<int>(session.device().ordinal);
    return kSuccess;
  });
}
/// The device's primary context is current then, also for functions of the driver.
SASSIM_CUDA Result cudaSetDevice(int device) {
  const auto set = [&](Session& session) {
    if (!session.has_device(device)) return no_such_device(session, device);
    if (Contexts& contexts = Contexts::of_this_process(); device != 0 || Contexts::current())
      Contexts::set_current(&contexts.primary(static_cast<unsigned>(device)));
    return kSuccess;
  };
  const Result result = always(__func__, set);
  if (result == kSuccess) Contexts::runtime_was_called();
  return result;
}
SASSIM_CUDA Result cudaChooseDevice(int* device, const DeviceProperties*) { return cudaGetDevice(device); }
SASSIM_CUDA Result cudaSetValidDevices(const int* devices, int count) {
  return always(__func__, [&](Session& session) {
    if (!devices && count != 0) return kInvalidValue;
    for (int i = 0; i < count; ++i)
      if (!session.has_device(devices[i])) return kInvalidDevice;
    return kSuccess;
  });
}
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
    if (!session.has_device(device)) return kInvalidDevice;
    *properties = device_properties(session.device(device));
    return kSuccess;
  });
}
SASSIM_CUDA Result cudaDeviceGetAttribute(int* value, int attribute, int device) {
  return always(__func__, [&](Session& session) {
    if (!value) return kInvalidValue;
    return session.has_device(device) ? device_attribute(session.device(device), attribute, *value) : kInvalidDevice;
  });
}
SASSIM_CUDA Result cudaDeviceSynchronize() {
  return call(__func__, [](Session& session) { return wait_for_device(session, session.device()); });
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
