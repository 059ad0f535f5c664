// SPDX-License-Identifier: Apache-2.0
// cudaMemPoolProps: what kind of memory a pool, or an allocation of a graph, has, and on which device.
#pragma once

#include <cstddef>

#include "sim/cuda/session.h"

namespace sassim::cuda {

/// cudaMemPoolProps
struct PoolProperties {
  int allocation, handles, place, device;
  void* windows;
  std::size_t largest;
  unsigned char reserved[56];
};
static_assert(sizeof(PoolProperties) == 88);

/// Memory of a device: the only place and kind that there is.
inline bool on_a_device(const Session& session, const PoolProperties& properties) {
  constexpr int kPinned = 1, kOnDevice = 1;
  return properties.allocation == kPinned && properties.place == kOnDevice && session.has_device(properties.device);
}

}  // namespace sassim::cuda
