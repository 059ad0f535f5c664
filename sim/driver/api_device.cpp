// SPDX-License-Identifier: Apache-2.0
// The driver's functions that start it, describe its devices and name its errors (cuInit, cuDeviceGet*, cuGetError*).
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "sim/cuda/device_properties.h"
#include "sim/cuda/export.h"
#include "sim/cuda/peers.h"
#include "sim/driver/call.h"
#include "sim/driver/result.h"

namespace sassim::cuda {
namespace {

constexpr int kVirtualMemory = 102;  // CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED
constexpr int kLastAttribute = 146;  // of CUDA 13.0
constexpr int kLastOfRuntime = 120;

Result attribute(const Device& device, int which, int& value) {
  if (which < 1 || which > kLastAttribute) return kInvalidValue;
  if (which > kLastOfRuntime || which == kVirtualMemory) {
    value = which == kVirtualMemory ? 1 : 0;
    return kSuccess;
  }
  return device_attribute(device, which, value);
}

/// CUdevprop
struct Properties {
  int max_threads_per_block, max_threads_dim[3], max_grid_size[3], shared_per_block, total_constant_memory, warp_size,
      memory_pitch, registers_per_block, clock_khz, texture_alignment;
};

}  // namespace

SASSIM_CUDA Result cuInit(unsigned flags) { return initialise(flags); }

SASSIM_CUDA Result cuDriverGetVersion(int* version) {
  if (!version) return kInvalidValue;
  *version = kDriverVersion;
  return kSuccess;
}

SASSIM_CUDA Result cuDeviceGetCount(int* count) {
  return ask(__func__, [&](Session& session) {
    if (!count) return kInvalidValue;
    *count = static_cast<int>(session.devices());
    return kSuccess;
  });
}
SASSIM_CUDA Result cuDeviceGet(int* device, int ordinal) {
  return ask(__func__, [&](Session& session) {
    if (!device) return kInvalidValue;
    if (!session.has_device(ordinal)) return kInvalidDevice;
    *device = ordinal;
    return kSuccess;
  });
}
SASSIM_CUDA Result cuDeviceGetName(char* name, int length, int device) {
  return ask(__func__, [&](Session& session) {
    if (!name || length <= 0) return kInvalidValue;
    if (!session.has_device(device)) return kInvalidDevice;
    std::snprintf(name, static_cast<std::size_t>(length), "%s", device_properties(session.device(device)).name);
    return kSuccess;
  });
}
SASSIM_CUDA Result cuDeviceTotalMem_v2(std::size_t* bytes, int device) {
  return ask(__func__, [&](Session& session) {
    if (!bytes) return kInvalidValue;
    if (!session.has_device(device)) return kInvalidDevice;
    *bytes = session.device(device).gpu.memory.size;
    return kSuccess;
  });
}
SASSIM_CUDA Result cuDeviceGetUuid(char* uuid, int device) {
  return ask(__func__, [&](Session& session) {
    if (!uuid) return kInvalidValue;
    if (!session.has_device(device)) return kInvalidDevice;
    const DeviceProperties properties = device_properties(session.device(device));
    std::memcpy(uuid, properties.uuid, sizeof properties.uuid);
    return kSuccess;
  });
}
SASSIM_CU_ALSO(cuDeviceGetUuid, cuDeviceGetUuid_v2);
SASSIM_CUDA Result cuDeviceGetAttribute(int* value, int which, int device) {
  return ask(__func__, [&](Session& session) {
    if (!value) return kInvalidValue;
    return session.has_device(device) ? attribute(session.device(device), which, *value) : kInvalidDevice;
  });
}
SASSIM_CUDA Result cuDeviceComputeCapability(int* major, int* minor, int device) {
  return ask(__func__, [&](Session& session) {
    if (!major || !minor) return kInvalidValue;
    if (!session.has_device(device)) return kInvalidDevice;
    *major = session.device(device).gpu.arch / 10;
    *minor = session.device(device).gpu.arch % 10;
    return kSuccess;
  });
}
SASSIM_CUDA Result cuDeviceGetProperties(Properties* properties, int device) {
  return ask(__func__, [&](Session& session) {
    if (!properties) return kInvalidValue;
    if (!session.has_device(device)) return kInvalidDevice;
    const DeviceProperties p = device_properties(session.device(device));
    *properties = {.max_threads_per_block = p.max_threads_per_block,
                   .max_threads_dim = {p.max_threads_dim[0], p.max_threads_dim[1], p.max_threads_dim[2]},
                   .max_grid_size = {p.max_grid_size[0], p.max_grid_size[1], p.max_grid_size[2]},
                   .shared_per_block = static_cast<int>(p.shared_per_block),
                   .total_constant_memory = static_cast<int>(p.total_constant_memory),
                   .warp_size = p.warp_size,
                   .memory_pitch = static_cast<int>(p.memory_pitch),
                   .registers_per_block = p.registers_per_block,
                   .clock_khz = p.clock_khz,
                   .texture_alignment = static_cast<int>(p.texture_alignment)};
    return kSuccess;
  });
}
SASSIM_CUDA Result cuDeviceGetPCIBusId(char* id, int length, int device) {
  return ask(__func__, [&](Session& session) {
    if (!id || length <= 0) return kInvalidValue;
    if (!session.has_device(device)) return kInvalidDevice;
    std::snprintf(id, static_cast<std::size_t>(length), "%s", bus_id(static_cast<unsigned>(device)).c_str());
    return kSuccess;
  });
}
SASSIM_CUDA Result cuDeviceGetByPCIBusId(int* device, const char* id) {
  return ask(__func__, [&](Session& session) {
    if (!device || !id) return kInvalidValue;
    return find_by_bus_id(session, id, *device);
  });
}
SASSIM_CUDA Result cuDeviceCanAccessPeer(int* can, int device, int peer) {
  return ask(__func__, [&](Session& session) {
    if (!can) return kInvalidValue;
    return can_access_peer(session, device, peer, *can);
  });
}
SASSIM_CUDA Result cuDeviceGetP2PAttribute(int* value, int which, int device, int peer) {
  return ask(__func__, [&](Session& session) {
    return value ? peer_attribute(session, which, device, peer, *value) : kInvalidValue;
  });
}
SASSIM_CUDA Result cuDeviceGetExecAffinitySupport(int* supported, int type, int device) {
  return ask(__func__, [&](Session& session) {
    if (!supported || type != 0) return kInvalidValue;
    if (!session.has_device(device)) return kInvalidDevice;
    *supported = 0;
    return kSuccess;
  });
}

SASSIM_CUDA Result cuGetErrorName(int code, const char** name) {
  if (!name) return kInvalidValue;
  *name = driver_error_name(code);
  return *name ? kSuccess : kInvalidValue;
}
SASSIM_CUDA Result cuGetErrorString(int code, const char** text) {
  if (!text) return kInvalidValue;
  *text = driver_error_text(code);
  return *text ? kSuccess : kInvalidValue;
}

// A profiler, which the simulated GPU does not have.
SASSIM_CUDA Result cuProfilerStart() {
  return in_context(__func__, [](Session&) { return kSuccess; });
}
SASSIM_CUDA Result cuProfilerStop() {
  return in_context(__func__, [](Session&) { return kSuccess; });
}

}  // namespace sassim::cuda
