// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace sassim::isa {

/// For sm_90, CUDA 11.8 emits VIMNMX for every integer minimum and maximum, but its disassemblers print only the
/// encoding. This returns the text that later versions print, or nothing for any other encoding.
std::optional<std::string> unprinted_instruction(std::uint64_t low, std::uint64_t high);

}  // namespace sassim::isa
