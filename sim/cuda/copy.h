// SPDX-License-Identifier: Apache-2.0
// Copies between host and device memory, with CUDA's rules for directions and bounds.
#pragma once

#include <cstddef>

#include "sim/cuda/abi.h"
#include "sim/cuda/graph.h"

namespace sassim::cuda {

class Session;

/// Rows of `width` bytes; a plain copy has one row. Checks that each device side lies inside one allocation.
struct CopyShape {
  std::size_t width = 0, height = 1, depth = 1;
  std::size_t to_pitch = 0, from_pitch = 0;  ///< bytes from row to row
  std::size_t to_slice = 0, from_slice = 0;  ///< bytes from slice to slice
};

Result copy(Session&, void* to, const void* from, const CopyShape&, CopyKind);
Result fill(Session&, void* to, int value, const CopyShape&);

/// The same, to be done when its stream comes to it.
NodeContents copy_work(Session&, void* to, const void* from, const CopyShape&, CopyKind);
NodeContents box_work(Session&, const Copy3D&);
NodeContents fill_work(Session&, void* to, int value, const CopyShape&);

}  // namespace sassim::cuda
