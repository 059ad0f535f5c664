// SPDX-License-Identifier: Apache-2.0
// The runtime's functions for several devices, and what the driver's functions for them also use (peers.h).
#include <cctype>
#include <cstdio>
#include <cstring>

#include "sim/cuda/copy.h"
#include "sim/cuda/export.h"
#include "sim/cuda/peers.h"

namespace sassim::cuda {
namespace {

enum PeerAttribute : int { kPerformanceRank = 1, kAccess = 2, kAtomics = 3, kArrays = 4 };

/// cudaMemcpy3DPeerParms
struct PeerCopy3D {
  void* from_array;
  Extent from_position;
  Pitched from;
  int from_device;
  void* to_array;
  Extent to_position;
  Pitched to;
  int to_device;
  Extent extent;
};

Result check_devices(Session& session, int one, int other) {
  return session.has_device(one) && session.has_device(other) ? kSuccess : kInvalidDevice;
}

Result copy_box(const char* name, const PeerCopy3D* copy, Stream stream) {
  return call(name, [&](Session& session) {
    if (!copy) return kInvalidValue;
    if (copy->from_array || copy->to_array) return unsupported("a copy of arrays between devices");
    if (const Result known = check_devices(session, copy->to_device, copy->from_device); known != kSuccess)
      return known;
    Copy3D box{};
    box.from_position = copy->from_position;
    box.from = copy->from;
    box.to_position = copy->to_position;
    box.to = copy->to;
    box.extent = copy->extent;
    box.kind = kDefaultCopy;
    return submit(session, stream, box_work(session, box));
  });
}

}  // namespace

Result can_access_peer(Session& session, int device, int peer, int& can) {
  if (const Result known = check_devices(session, device, peer); known != kSuccess) return known;
  can = device != peer && session.device(device).gpu.arch == session.device(peer).gpu.arch ? 1 : 0;
  return kSuccess;
}

Result peer_attribute(Session& session, int attribute, int device, int peer, int& value) {
  if (attribute < kPerformanceRank || attribute > kArrays) return kInvalidValue;
  if (device == peer) return kInvalidDevice;  // a device is no peer of itself
  int can = 0;
  const Result known = can_access_peer(session, device, peer, can);
  if (known == kSuccess) value = attribute == kAccess || attribute == kAtomics ? can : 0;
  return known;
}

Result enable_peer(Session& session, unsigned peer) {
  int can = 0;
  const unsigned own = session.device().ordinal;
  if (peer == own) return kInvalidDevice;
  if (const Result known = can_access_peer(session, static_cast<int>(own), static_cast<int>(peer), can);
      known != kSuccess)
    return known;
  if (can == 0) return kPeerAccessUnsupported;
  if (session.memory().peer_is_open(peer)) return kPeerAccessAlreadyEnabled;
  session.memory().open_peer(peer, true);
  return kSuccess;
}

Result disable_peer(Session& session, unsigned peer) {
  if (!session.has_device(static_cast<int>(peer))) return kInvalidDevice;
  if (!session.memory().peer_is_open(peer)) return kPeerAccessNotEnabled;
  session.memory().open_peer(peer, false);
  return kSuccess;
}

std::string bus_id(unsigned device) { return fmt::format("0000:{:02x}:00.0", device); }

Result find_by_bus_id(Session& session, const std::string& id, int& device) {
  for (unsigned one = 0; one < session.devices(); ++one) {
    const std::string whole = bus_id(one);  // the domain may be left out
    if (id != whole && id != whole.substr(whole.find(':') + 1)) continue;
    device = static_cast<int>(one);
    return kSuccess;
  }
  return kInvalidDevice;
}

Result wait_for_device(Session& session, Device& device) {
  session.turn_to(device);
  device.timeline.wait_on_host(device.timeline.end());
  device.launcher.close();
  return check_nothing_captured(session);
}

Result copy_between(Session& session, void* to, Device& to_device, const void* from, Device& from_device,
                    std::size_t bytes) {
  for (Device* device : {&to_device, &from_device})
    if (const Result result = wait_for_device(session, *device); result != kSuccess) return result;
  const Result result = submit(session, {}, copy_work(session, to, from, {.width = bytes}, kDefaultCopy));
  Timeline& timeline = session.timeline();
  timeline.wait_on_host(timeline.end());
  return result;
}

SASSIM_CUDA Result cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return call(__func__,
              [&](Session& session) { return can ? can_access_peer(session, device, peer, *can) : kInvalidValue; });
}
SASSIM_CUDA Result cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  return call(__func__, [&](Session& session) {
    if (flags != 0) return kInvalidValue;
    return session.has_device(peer) ? enable_peer(session, static_cast<unsigned>(peer)) : kInvalidDevice;
  });
}
SASSIM_CUDA Result cudaDeviceDisablePeerAccess(int peer) {
  return call(__func__, [&](Session& session) {
    return session.has_device(peer) ? disable_peer(session, static_cast<unsigned>(peer)) : kInvalidDevice;
  });
}
SASSIM_CUDA Result cudaDeviceGetP2PAttribute(int* value, int attribute, int device, int peer) {
  return call(__func__, [&](Session& session) {
    return value ? peer_attribute(session, attribute, device, peer, *value) : kInvalidValue;
  });
}
SASSIM_CUDA Result cudaDeviceGetPCIBusId(char* id, int length, int device) {
  return call(__func__, [&](Session& session) {
    if (!id || length <= 0) return kInvalidValue;
    if (!session.has_device(device)) return kInvalidDevice;
    std::snprintf(id, static_cast<std::size_t>(length), "%s", bus_id(static_cast<unsigned>(device)).c_str());
    return kSuccess;
  });
}
SASSIM_CUDA Result cudaDeviceGetByPCIBusId(int* device, const char* id) {
  return call(__func__,
              [&](Session& session) { return device && id ? find_by_bus_id(session, id, *device) : kInvalidValue; });
}

SASSIM_CUDA Result cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, std::size_t bytes) {
  return call(__func__, [&](Session& session) {
    const Result known = check_devices(session, to_device, from_device);
    return known == kSuccess
               ? copy_between(session, to, session.device(to_device), from, session.device(from_device), bytes)
               : known;
  });
}
SASSIM_CUDA Result cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                                       Stream stream) {
  return call(__func__, [&](Session& session) {
    const Result known = check_devices(session, to_device, from_device);
    return known == kSuccess ? submit(session, stream, copy_work(session, to, from, {.width = bytes}, kDefaultCopy))
                             : known;
  });
}
SASSIM_CUDA Result cudaMemcpy3DPeer(const PeerCopy3D* copy) { return copy_box(__func__, copy, {}); }
SASSIM_CUDA_PTDS(cudaMemcpy3DPeer);
SASSIM_CUDA Result cudaMemcpy3DPeerAsync(const PeerCopy3D* copy, Stream stream) {
  return copy_box(__func__, copy, stream);
}
SASSIM_CUDA_PTSZ(cudaMemcpy3DPeerAsync);

}  // namespace sassim::cuda
