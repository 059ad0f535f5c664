// SPDX-License-Identifier: Apache-2.0
// One simulated GPU of the process, with what the program has made on it.
#pragma once

#include <array>
#include <memory>

#include "sim/config/gpu_config.h"
#include "sim/cuda/launcher.h"
#include "sim/cuda/pool.h"
#include "sim/cuda/timeline.h"
#include "sim/emu/memory/device_memory.h"

namespace sassim::cuda {

/// Shared memory of a block that does not opt in to more, on every architecture.
inline constexpr std::size_t kDefaultShared = 48 << 10;

struct Device {
  Device(unsigned number, config::GpuConfig configuration, LaunchOptions launches);
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  /// By cudaLimit, as the driver has them.
  static constexpr std::array<std::size_t, 7> kDefaultLimits{1024, 1 << 20, 8 << 20, 2, 2048, 64, 0};

  const unsigned ordinal;
  const config::GpuConfig gpu;
  emu::DeviceMemory memory;
  Timeline timeline;
  Pools pools;
  Launcher launcher;
  std::array<std::size_t, 7> limits = kDefaultLimits;
  unsigned flags = 8;  ///< cudaDeviceMapHost; none after a reset, as on an H200
};

}  // namespace sassim::cuda
