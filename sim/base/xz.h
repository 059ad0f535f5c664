// SPDX-License-Identifier: Apache-2.0
// Unpacks .xz files for read_input_file().
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sassim {

/// The content of an .xz file of which `stored` are the bytes. Throws InputError, which begins with `name`, if it is
/// damaged or cut off, or if its content is larger than `most` bytes.
std::string unpack_xz(std::string_view stored, std::uint64_t most, std::string_view name);

}  // namespace sassim
