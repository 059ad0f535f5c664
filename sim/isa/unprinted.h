// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace sassim::isa {

/// For sm_90, ptxas emits VIMNMX, VIMNMX3, VIADDMNMX and VIADD for integer minima, maxima and additions, but
/// CUDA 11.8's disassemblers print only the encoding; so they do for F2FP of registers on sm_75. This returns the text
/// that later versions print, or nothing for any other encoding.
std::optional<std::string> unprinted_instruction(std::uint64_t low, std::uint64_t high);

}  // namespace sassim::isa
