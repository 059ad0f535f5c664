// SPDX-License-Identifier: Apache-2.0
// Spares a functional run the launches that repeat an earlier one: programs that measure launch a kernel again and
// again. A launch that leaves memory as it found it (emu::RunResult::settled) does the same as long as memory stays so;
// it is called settled, which is not the settling of times (timeline.h).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/cuda/launch_mode.h"
#include "sim/emu/core/emulator.h"
#include "sim/emu/memory/device_memory.h"

namespace sassim::cuda {

class SettledLaunches {
 public:
  /// What the launch would do if it were executed now, if that is known, or nullptr.
  const emu::RunResult* find(const DeviceLaunch&, const emu::DeviceMemory&) const;
  /// A launch has been executed. Its effects on memory count as changes of it.
  void executed(const DeviceLaunch&, emu::DeviceMemory&, const emu::RunResult&);

 private:
  struct Settled {
    std::uint64_t code_address;  ///< of the kernel
    emu::LaunchConfig launch;
    emu::RunResult result;
  };
  std::vector<Settled> launches_;  ///< since the last change
  std::uint64_t version_ = 0;      ///< of what launches can see, since then
};

}  // namespace sassim::cuda
