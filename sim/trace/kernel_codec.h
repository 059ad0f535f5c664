// SPDX-License-Identifier: Apache-2.0
// Encodes and decodes the section of a .sast file that holds a kernel's code, launch shape and constants, without its
// compression (docs/trace-format.md).
#pragma once

#include "sim/trace/kernel.h"

namespace sassim::trace {

std::vector<std::uint8_t> encode_kernel(const KernelInfo& kernel);
/// Throws InputError that begins with `place`.
KernelInfo decode_kernel(std::span<const std::uint8_t> bytes, std::string_view place);

}  // namespace sassim::trace
