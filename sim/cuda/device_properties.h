// SPDX-License-Identifier: Apache-2.0
// The properties of the configured GPU that a program can query.
#pragma once

#include "sim/config/gpu_config.h"
#include "sim/cuda/abi.h"

namespace sassim::cuda {

DeviceProperties device_properties(const config::GpuConfig&);

/// Answers cudaDeviceGetAttribute; kInvalidValue for an unknown attribute.
Result device_attribute(const config::GpuConfig&, int attribute, int& value);

}  // namespace sassim::cuda
