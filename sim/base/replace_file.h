// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sassim {

/// Writes a file at once: whoever reads it, also after a crash, sees the old text or the new. Throws InputError.
void replace_file(const std::string& path, std::string_view text);

}  // namespace sassim
