// SPDX-License-Identifier: Apache-2.0
// The work of a graph's node from the parameters that programs describe it by.
#pragma once

#include "sim/emu/shim/copy.h"
#include "sim/emu/shim/graph.h"
#include "sim/emu/shim/kernel_call.h"

namespace sassim::shim {

/// Each gives an error code, or success and the contents.
Result kernel_node(Session&, const KernelNodeParams*, NodeContents&);
Result copy_node(Session&, const Copy3D*, NodeContents&);
Result fill_node(Session&, const FillNodeParams*, NodeContents&);
Result host_node(const HostNodeParams*, NodeContents&);

}  // namespace sassim::shim
