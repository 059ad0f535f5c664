// SPDX-License-Identifier: Apache-2.0
// What the configured GPU tells a program about itself.
#pragma once

#include "sim/config/gpu_config.h"
#include "sim/cuda/abi.h"

namespace sassim::cuda {

DeviceProperties device_properties(const config::GpuConfig&);

/// The answer to cudaDeviceGetAttribute; kInvalidValue for an attribute that does not exist.
Result device_attribute(const config::GpuConfig&, int attribute, int& value);

}  // namespace sassim::cuda
