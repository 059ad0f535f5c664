// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sassim {

/// Text as it stands in HTML and SVG, between tags or within an attribute's quotes; what would not be seen is escaped
/// as printable_lines() does.
std::string escaped(std::string_view text);

}  // namespace sassim
