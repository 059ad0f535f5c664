// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "sim/emu/core/module.h"

namespace sassim::emu {

/// The line of CUDA code of an instruction, "file.cu:12"; of an inlined function also the line of the kernel that calls
/// it, "header.h:7 called at file.cu:12". Empty without line information.
std::string source_place(const Kernel&, std::uint32_t index);

}  // namespace sassim::emu
