// SPDX-License-Identifier: Apache-2.0
// Copies and fills of plain memory (cudaMemcpy, cudaMemset) between host and devices, for the functions of the runtime
// and of the driver. Directions and bounds are checked as CUDA does. Copies of arrays are in array.h.
#pragma once

#include <cstddef>

#include "sim/cuda/abi.h"
#include "sim/cuda/graph.h"

namespace sassim::cuda {

class Session;

/// Rows of `width` bytes; a plain copy has one row. Each device side must lie inside one allocation.
struct CopyShape {
  std::size_t width = 0, height = 1, depth = 1;
  std::size_t to_pitch = 0, from_pitch = 0;  ///< bytes from one row to the next
  std::size_t to_slice = 0, from_slice = 0;  ///< bytes from one slice to the next
};

Result copy(Session&, void* to, const void* from, const CopyShape&, CopyKind);
Result fill(Session&, void* to, int value, const CopyShape&);

/// Whether a copy from the host is so small that the driver sends its bytes within the command.
bool in_commands(const Session&, std::size_t bytes);

/// A copy that is performed when its stream reaches it.
NodeContents copy_work(Session&, void* to, const void* from, const CopyShape&, CopyKind);
NodeContents box_work(Session&, const Copy3D&);
NodeContents fill_work(Session&, void* to, int value, const CopyShape&);

}  // namespace sassim::cuda
