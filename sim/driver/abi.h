// SPDX-License-Identifier: Apache-2.0
// The binary interface of the driver: layouts of structs and values of enumerations, as in CUDA 11.8's cuda.h.
// tests/stage/cuda compares them with the toolkit's header.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/cuda/abi.h"
#include "sim/cuda/array.h"

namespace sassim::cuda {

using DevicePointer = std::uint64_t;

/// CUmemorytype
enum MemoryPlace : int { kPlaceHost = 1, kPlaceDevice = 2, kPlaceArray = 3, kPlaceUnified = 4 };

/// One side of a CUDA_MEMCPY2D.
struct Side2D {
  std::size_t byte, row;
  MemoryPlace place;
  void* host;
  DevicePointer device;
  Array* array;
  std::size_t pitch;
};
/// CUDA_MEMCPY2D
struct DriverCopy2D {
  Side2D from, to;
  std::size_t width, height;
};

/// One side of a CUDA_MEMCPY3D, or of a CUDA_MEMCPY3D_PEER with the side's context.
struct Side3D {
  std::size_t byte, row, slice, level;
  MemoryPlace place;
  void* host;
  DevicePointer device;
  Array* array;
  void* context;
  std::size_t pitch, height;
};
/// CUDA_MEMCPY3D
struct DriverCopy3D {
  Side3D from, to;
  std::size_t width, height, depth;
};

/// CUlaunchConfig. Its attributes are the runtime's.
struct DriverLaunch {
  Dim grid, block;
  unsigned shared;
  Stream stream;
  const LaunchAttribute* attributes;
  unsigned attribute_count;
};

/// The `extra` argument of a launch: pairs up to the first 0.
inline void* const kExtraBuffer = reinterpret_cast<void*>(1);
inline void* const kExtraSize = reinterpret_cast<void*>(2);

}  // namespace sassim::cuda
