// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "sim/emu/core/fatbin.h"

namespace sassim::emu {

/// The code for sm_`sm` in a fat binary: the cubin of choose_image(), or else what ptxas makes of the newest PTX that
/// is not newer than sm_`sm`, as the driver does. Empty if there is neither, or no ptxas. Throws InputError.
std::vector<std::uint8_t> machine_code(std::span<const FatImage> images, int sm, const std::string& place);

}  // namespace sassim::emu
