// SPDX-License-Identifier: Apache-2.0
// Keys that have another name now, and keys that are gone.
#pragma once

#include <string_view>

namespace sassim::config {

/// The new path of a renamed key, or "". `key` may be shortened from the left.
std::string_view new_name_of(std::string_view key);
/// The same for a whole path.
std::string_view new_path_of(std::string_view path);
/// Why a key that was removed is no longer needed, or "". `key` may be shortened from the left.
std::string_view why_removed(std::string_view key);

}  // namespace sassim::config
