// SPDX-License-Identifier: Apache-2.0
// The entries of a folder. If memory is exhausted while it reads, libstdc++ 12's iterator of std::filesystem ends the
// process; this function throws std::bad_alloc.
#pragma once

#include <filesystem>
#include <vector>

namespace sassim {

/// Paths of the folder's entries, sorted by name; empty if the folder does not exist or cannot be read.
std::vector<std::filesystem::path> folder_entries(const std::filesystem::path& folder);

}  // namespace sassim
