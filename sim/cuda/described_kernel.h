// SPDX-License-Identifier: Apache-2.0
// What is known of a kernel without its code, which may have to be disassembled first. Libraries ask for the attributes
// of many more kernels than they launch.
#pragma once

#include "sim/cuda/session.h"

namespace sassim::cuda {

/// The kernel of a host function pointer; Session::kernel() gives the same with its code. Throws ApiError.
const emu::Kernel& described_kernel(Session&, const void* handle);

}  // namespace sassim::cuda
