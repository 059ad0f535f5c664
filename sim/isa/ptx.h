// SPDX-License-Identifier: Apache-2.0
// Compiles PTX to machine code with ptxas, the CUDA Toolkit's assembler.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sassim::isa {

/// The path of ptxas: that of CUDA 12.4, which reads older PTX too, else Debian's; empty if there is none.
std::string find_ptxas();

/// The cubin for sm_`sm` that ptxas makes of the text. A process compiles the same text only once, and keeps the result
/// for others (ptx_cache.h). Throws InputError with the first line of what ptxas says, and NotSupported if there is no
/// ptxas.
std::vector<std::uint8_t> compile_ptx(std::string_view text, int sm, std::string_view name);

}  // namespace sassim::isa
