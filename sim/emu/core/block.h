// SPDX-License-Identifier: Apache-2.0
// Sets up a launch for the emulator: constant bank 0, stacks, shared memory, warps.
#pragma once

#include <memory>

#include "sim/emu/core/machine.h"

namespace sassim::emu {

inline Grid grid_of(const Kernel& kernel, const LaunchConfig& launch, DeviceMemory& memory, const RunOptions& options) {
  Grid grid;
  grid.kernel = &kernel;
  grid.program = kernel.program.get();
  grid.launch = &launch;
  grid.options = &options;
  grid.memory = &memory;
  return grid;
}
/// Checks the launch and lays out what all blocks share. Throws UsageError.
void prepare_launch(Grid& grid);
/// Frees the device memory that prepare_launch() allocated.
void finish_launch(Grid& grid);
std::unique_ptr<Block> make_block(Grid& grid, BlockId id);

}  // namespace sassim::emu
