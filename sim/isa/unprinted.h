// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace sassim::isa {

/// CUDA 11.8 emits VIMNMX for sm_90 (every integer minimum and maximum), but its disassemblers print only the encoding.
/// The text that later versions print for it, or nothing for any other encoding.
std::optional<std::string> unprinted_instruction(std::uint64_t low, std::uint64_t high);

}  // namespace sassim::isa
