// SPDX-License-Identifier: Apache-2.0
// Opens whatever kind of trace a path names.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "sim/trace/kernel.h"

namespace sassim::trace {

/// The kernels of a .sast file, of an Accel-Sim directory, kernels list or .traceg file, in launch order. Kernels are
/// loaded when first asked for, and stay until their source goes away. Throws InputError.
std::vector<std::shared_ptr<BlockSource>> open(const std::string& path);

/// Every file that open() would read.
std::vector<std::filesystem::path> trace_files(const std::string& path);

}  // namespace sassim::trace
