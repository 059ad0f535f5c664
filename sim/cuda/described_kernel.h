// SPDX-License-Identifier: Apache-2.0
// Looks up a kernel for queries of its attributes (registers, shared memory, parameters), without its code, which may
// have to be disassembled first: libraries ask for the attributes of many more kernels than they launch.
#pragma once

#include "sim/cuda/session.h"

namespace sassim::cuda {

/// The kernel of a host function pointer; Session::kernel() gives the same with its code. Throws ApiError.
const emu::Kernel& described_kernel(Session&, const void* handle);

}  // namespace sassim::cuda
