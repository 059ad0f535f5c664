// SPDX-License-Identifier: Apache-2.0
// Runs the CUDA Toolkit's disassembler on a cubin.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "sim/isa/assembly.h"

namespace sassim::isa {

/// The path of nvdisasm: the value of SASSIM_NVDISASM, else Debian's path. Throws NotSupported if there is none, and
/// says how to install it.
std::string find_nvdisasm();

/// The functions of a cubin with resolved labels and decoded control bits. A process disassembles the same bytes only
/// once. `name` is used only in messages.
std::shared_ptr<const Disassembly> disassemble(std::span<const std::uint8_t> cubin, std::string_view name);

}  // namespace sassim::isa
