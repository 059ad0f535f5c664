// SPDX-License-Identifier: Apache-2.0
// The short form in which the disassembler's listings are kept in a folder (SASSIM_LISTINGS): of a cubin's listing nine
// tenths are layout, other sections, and encodings that the cubin has.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sassim::isa {

/// The code sections of a listing of nvdisasm -hex, with the text of each instruction, or '?' where it has none.
std::string shortened_listing(std::string_view listing);

/// The listing of a cubin from its shortened form, which is put beside the cubin's encodings. A listing that is whole
/// stays as it is. Throws InputError that begins with `name` if the cubin has fewer instructions.
std::string completed_listing(std::string_view kept, std::span<const std::uint8_t> cubin, std::string_view name);

}  // namespace sassim::isa
