// SPDX-License-Identifier: Apache-2.0
// The properties of the configured GPU that a program can query.
#pragma once

#include "sim/config/gpu_config.h"
#include "sim/cuda/abi.h"
#include "sim/cuda/device.h"

namespace sassim::cuda {

/// `ordinal`: of the device, which decides its place on the bus.
DeviceProperties device_properties(const config::GpuConfig&, unsigned ordinal = 0);
inline DeviceProperties device_properties(const Device& device) {
  return device_properties(device.gpu, device.ordinal);
}

/// Answers cudaDeviceGetAttribute; kInvalidValue for an unknown attribute.
Result device_attribute(const config::GpuConfig&, int attribute, int& value, unsigned ordinal = 0);
inline Result device_attribute(const Device& device, int attribute, int& value) {
  return device_attribute(device.gpu, attribute, value, device.ordinal);
}

}  // namespace sassim::cuda
