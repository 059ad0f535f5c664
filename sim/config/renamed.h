// SPDX-License-Identifier: Apache-2.0
// Keys that have been renamed.
#pragma once

#include <string>
#include <string_view>

namespace sassim::config {

/// The new name of a renamed key, or "". `key` may be shortened from the left.
std::string_view new_name_of(std::string_view key);

}  // namespace sassim::config
