// SPDX-License-Identifier: Apache-2.0
// The CUDA Toolkits of this machine, whatever stands first on the PATH.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sassim::isa {

/// The folder of CUDA 12.4: the one that SASSIM_CUDA12 names, else build/cuda-12.4 of the source tree, for a program in
/// its build folder. Empty if it is not there.
std::string cuda12_folder();

/// The CUDA Toolkit that made a cubin: 118 for 11.8, 124 for 12.4, 130 for any from 13.0 on; 0 if it is no cubin.
int toolkit_of(std::span<const std::uint8_t> cubin);

/// The disassemblers that may be able to read a cubin, the best one first: the one that SASSIM_NVDISASM names; else
/// that of the toolkit that made the cubin, then others. 11.8's prints nothing for some opcodes of sm_90, 12.4's prints
/// all. Throws NotSupported if there is none, and says how to install it.
std::vector<std::string> disassemblers_for(std::span<const std::uint8_t> cubin, std::string_view name);

}  // namespace sassim::isa
