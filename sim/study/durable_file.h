// SPDX-License-Identifier: Apache-2.0
// Files that are either there in whole or not at all, whatever happens to the process or the machine.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace sassim::study {

/// Writes a temporary file beside `path`, brings it to the disk and gives it its name. Throws InputError.
void write_durably(const std::filesystem::path& path, std::string_view text);

/// Everything in a file; nothing when it is not there or cannot be read.
std::optional<std::string> read_whole_file(const std::filesystem::path& path);

/// All of `text` to an open file, going on after interruptions and short writes.
bool write_fully(int descriptor, std::string_view text);

}  // namespace sassim::study
