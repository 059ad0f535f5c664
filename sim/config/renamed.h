// SPDX-License-Identifier: Apache-2.0
// Keys that had another name once.
#pragma once

#include <string>
#include <string_view>

namespace sassim::config {

/// What the key is called now, "" when it never had another name. `key` may be shortened from the left.
std::string_view new_name_of(std::string_view key);

}  // namespace sassim::config
