// SPDX-License-Identifier: Apache-2.0
// Makes the work of cuMemcpy2D, cuMemcpy3D and cuMemsetD* from what the program describes, and submits it.
#pragma once

#include <functional>

#include "sim/cuda/copy.h"
#include "sim/driver/abi.h"

namespace sassim::cuda {

/// Each returns an error, or success and the work.
Result copy_2d(Session&, const DriverCopy2D*, NodeContents&);
Result copy_3d(Session&, const DriverCopy3D*, NodeContents&);

/// Rows of elements of one, two or four bytes.
Result fill_rows(Session&, const FillNodeParams&, NodeContents&);

/// Makes the work of a call and submits it. The host waits for it, and so for all earlier work.
Result waited(const char* name, const std::function<Result(Session&, NodeContents&)>& make);
/// The host goes on.
Result in_stream(const char* name, Stream stream, const std::function<Result(Session&, NodeContents&)>& make);

}  // namespace sassim::cuda
