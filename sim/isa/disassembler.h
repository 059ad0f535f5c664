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

/// The path of nvdisasm: the environment's SASSIM_NVDISASM, else Debian's. Throws NotSupported, with the way to install
/// it, when there is none.
std::string find_nvdisasm();

/// The functions of a cubin, labels resolved, control bits decoded. The same bytes are disassembled once in a process;
/// `name` is used in messages only.
std::shared_ptr<const Disassembly> disassemble(std::span<const std::uint8_t> cubin, std::string_view name);

}  // namespace sassim::isa
