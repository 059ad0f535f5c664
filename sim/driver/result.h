// SPDX-License-Identifier: Apache-2.0
// The driver's error codes, CUresult. The runtime's are the same numbers, and it has some more.
#pragma once

#include "sim/cuda/abi.h"

namespace sassim::cuda {

/// "CUDA_ERROR_INVALID_VALUE", and a sentence; nullptr for a number that is no code.
const char* driver_error_name(int code);
const char* driver_error_text(int code);

/// The driver's code for an error of the runtime.
Result driver_code(Result runtime);

}  // namespace sassim::cuda
