// SPDX-License-Identifier: Apache-2.0
// Several devices: which of them can access each other's memory, and their places on the bus. The runtime and the
// driver answer alike.
#pragma once

#include <string>

#include "sim/cuda/session.h"

namespace sassim::cuda {

/// Kernels of a device can access the memory of every other one of the same architecture.
Result can_access_peer(Session&, int device, int peer, int& can);
/// cudaDeviceP2PAttr
Result peer_attribute(Session&, int attribute, int device, int peer, int& value);
/// Kernels of the device at work may access the memory of `peer`, or no longer.
Result enable_peer(Session&, unsigned peer);
Result disable_peer(Session&, unsigned peer);

std::string bus_id(unsigned device);
Result find_by_bus_id(Session&, const std::string& id, int& device);

/// The host waits for all work of a device.
Result wait_for_device(Session&, Device&);
/// A copy from one device's memory to another's, in a stream or, without one, after all work of both, and the host
/// waits for it.
Result copy_between(Session&, void* to, Device& to_device, const void* from, Device& from_device, std::size_t bytes);

}  // namespace sassim::cuda
