// SPDX-License-Identifier: Apache-2.0
// Attributes of functions and of launches, which the runtime and the driver number alike.
#pragma once

#include "sim/cuda/kernel_call.h"

namespace sassim::cuda {

/// CUfunction_attribute, cudaFuncAttribute
enum FunctionAttribute : int {
  kMaxThreadsPerBlock = 0,
  kSharedBytes = 1,
  kConstantBytes = 2,
  kLocalBytes = 3,
  kRegisters = 4,
  kPtxVersion = 5,
  kBinaryVersion = 6,
  kCacheModeCa = 7,
  kMaxDynamicShared = 8,
  kPreferredCarveout = 9,
  kClusterMustBeSet = 10,
  kClusterWidth = 11,
  kClusterHeight = 12,
  kClusterDepth = 13,
  kNonPortableCluster = 14,
  kClusterScheduling = 15,
};

/// What the launch attributes ask for. Returns an error for one that is not supported.
Result read_attributes(const LaunchAttribute* attributes, unsigned count, LaunchRequest&);

/// A function's attribute (FunctionAttribute).
Result function_attribute(Session&, const void* handle, int attribute, int& value);
Result set_function_attribute(Session&, const void* handle, int attribute, int value);

}  // namespace sassim::cuda
