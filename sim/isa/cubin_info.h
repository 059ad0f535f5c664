// SPDX-License-Identifier: Apache-2.0
// The attributes of kernels in a cubin's .nv.info sections, for cubin.cpp: a format byte, a number, and two bytes that
// are the value or the payload's length.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sim/isa/cubin.h"

namespace sassim::isa {

struct CubinAttribute {
  std::uint8_t code = 0;
  std::uint16_t value = 0;  ///< of formats without a payload
  std::span<const std::uint8_t> payload;

  /// Word `n` (32 bits) of the payload; zero beyond its end.
  std::uint32_t word(std::size_t n) const;
};

/// Throws InputError that begins with `place` if an attribute extends beyond the section.
std::vector<CubinAttribute> read_cubin_attributes(std::span<const std::uint8_t> section, std::string_view place);

/// Applies an attribute of the module's section to a kernel: registers, stack.
void apply_module_attribute(const CubinAttribute&, CubinKernel&);
/// Applies an attribute of the kernel's own section: parameters, launch bounds.
void apply_kernel_attribute(const CubinAttribute&, CubinKernel&);

}  // namespace sassim::isa
