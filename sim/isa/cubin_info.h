// SPDX-License-Identifier: Apache-2.0
// The attributes of .nv.info sections: a format byte, a number, and two bytes of value or a payload of that length.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sim/isa/cubin.h"

namespace sassim::isa {

struct CubinAttribute {
  std::uint8_t number = 0;
  std::uint16_t value = 0;  ///< of the formats without a payload
  std::span<const std::uint8_t> payload;

  /// The nth 32-bit word of the payload; zero beyond its end.
  std::uint32_t word(std::size_t n) const;
};

/// Throws InputError that starts with `place` when an attribute reaches beyond the section.
std::vector<CubinAttribute> read_cubin_attributes(std::span<const std::uint8_t> section, std::string_view place);

/// What the module's section says of a kernel: registers, stack.
void apply_module_attribute(const CubinAttribute&, CubinKernel&);
/// What the kernel's own section says: parameters, launch bounds.
void apply_kernel_attribute(const CubinAttribute&, CubinKernel&);

}  // namespace sassim::isa
