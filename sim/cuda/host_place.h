// SPDX-License-Identifier: Apache-2.0
// Which part of the address of registered host memory is the same in every run: the system moves stacks and heaps. The
// model may use only that part, so that simulated times are the same in every run, too.
#pragma once

#include "sim/base/host_maps.h"
#include "sim/emu/memory/host_pieces.h"

namespace sassim::cuda {

/// `in_heap` for the stack of the first thread, which begins anywhere in a page, and for heaps of malloc(). `maps`:
/// what host_maps() says.
emu::HostPlace host_place(const HostMaps& maps, const void* pointer);

}  // namespace sassim::cuda
