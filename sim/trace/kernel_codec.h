// SPDX-License-Identifier: Apache-2.0
// The uncompressed bytes of a kernel's static section.
#pragma once

#include "sim/trace/kernel.h"

namespace sassim::trace {

std::vector<std::uint8_t> encode_kernel(const KernelInfo& kernel);
/// Throws InputError that begins with `place`.
KernelInfo decode_kernel(std::span<const std::uint8_t> bytes, std::string_view place);

}  // namespace sassim::trace
