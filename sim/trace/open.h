// SPDX-License-Identifier: Apache-2.0
// Opens a trace of any supported kind.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "sim/trace/kernel.h"

namespace sassim::trace {

/// The kernels of a .sast file, or of an Accel-Sim directory, kernels list or .traceg file, in launch order. A kernel
/// is loaded at its first use and stays in memory as long as its source. Throws InputError.
std::vector<std::shared_ptr<BlockSource>> open(const std::string& path);

/// All files that open() would read.
std::vector<std::filesystem::path> trace_files(const std::string& path);

}  // namespace sassim::trace
