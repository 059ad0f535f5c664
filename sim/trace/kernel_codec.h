// SPDX-License-Identifier: Apache-2.0
// Encodes and decodes a kernel's static section, uncompressed (docs/trace-format.md).
#pragma once

#include "sim/trace/kernel.h"

namespace sassim::trace {

std::vector<std::uint8_t> encode_kernel(const KernelInfo& kernel);
/// Throws InputError that begins with `place`.
KernelInfo decode_kernel(std::span<const std::uint8_t> bytes, std::string_view place);

}  // namespace sassim::trace
