// SPDX-License-Identifier: Apache-2.0
// Makes the work of a node of a CUDA graph from the parameters that the program gives.
#pragma once

#include "sim/cuda/copy.h"
#include "sim/cuda/graph.h"
#include "sim/cuda/kernel_call.h"

namespace sassim::cuda {

/// Each function returns an error code, or success and the contents.
Result kernel_node(Session&, const KernelNodeParams*, NodeContents&);
Result copy_node(Session&, const Copy3D*, NodeContents&);
Result fill_node(Session&, const FillNodeParams*, NodeContents&);
Result host_node(const HostNodeParams*, NodeContents&);

}  // namespace sassim::cuda
