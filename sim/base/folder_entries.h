// SPDX-License-Identifier: Apache-2.0
// What is in a folder. std::filesystem's iterator of libstdc++ 12 ends the process when memory is exhausted while it
// reads; this function throws std::bad_alloc.
#pragma once

#include <filesystem>
#include <vector>

namespace sassim {

/// Paths of the folder's entries in the order of their names; none when there is no such folder or it cannot be read.
std::vector<std::filesystem::path> folder_entries(const std::filesystem::path& folder);

}  // namespace sassim
