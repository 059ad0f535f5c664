// SPDX-License-Identifier: Apache-2.0
// Disassembles some functions of a cubin: a library's may have hundreds, and the whole listing a hundred megabytes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "sim/isa/assembly.h"

namespace sassim::isa {

/// The same as disassemble() (disassembler.h) for the functions that enclose these symbols, by their index in the
/// cubin.
std::shared_ptr<const Disassembly> disassemble_functions(std::span<const std::uint8_t> cubin, std::string_view name,
                                                         std::span<const std::uint32_t> symbols);

}  // namespace sassim::isa
