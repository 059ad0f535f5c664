// SPDX-License-Identifier: Apache-2.0
// Runs the CUDA Toolkit's disassembler on a cubin.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "sim/isa/assembly.h"

namespace sassim::isa {

/// The functions of a cubin with resolved labels and decoded control bits. A process disassembles the same bytes only
/// once. `name` is used only in messages. Throws what toolkit.h says, and InputError.
std::shared_ptr<const Disassembly> disassemble(std::span<const std::uint8_t> cubin, std::string_view name);

/// The disassemblers that this process has run, whose listings it uses.
std::set<std::string> used_disassemblers();

}  // namespace sassim::isa
