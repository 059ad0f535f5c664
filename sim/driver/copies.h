// SPDX-License-Identifier: Apache-2.0
// Makes the work of cuMemcpy2D, cuMemcpy3D and cuMemsetD* from what the program describes.
#pragma once

#include "sim/cuda/copy.h"
#include "sim/driver/abi.h"

namespace sassim::cuda {

/// Each returns an error, or success and the work.
Result copy_2d(Session&, const DriverCopy2D*, NodeContents&);
Result copy_3d(Session&, const DriverCopy3D*, NodeContents&);

/// Rows of elements of one, two or four bytes.
Result fill_rows(Session&, const FillNodeParams&, NodeContents&);

}  // namespace sassim::cuda
