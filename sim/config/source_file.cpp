// SPDX-License-Identifier: Apache-2.0
// Reads a configuration file or standard input, and gives places and comments in it.
#include "sim/config/source_file.h"

#include <fmt/format.h>

#include "sim/base/input_file.h"
#include "sim/config/find.h"

namespace sassim::config {

std::string SourceFile::place(Mark mark) const { return fmt::format("{}:{}:{}", file, mark.line, mark.column); }

std::string SourceFile::comment(Mark mark) const {
  const auto index = static_cast<std::size_t>(mark.line - 1);
  return index < comments.size() ? comments[index] : std::string();
}

std::string read_text(const std::string& path) {
  if (path == "-") return read_standard_input(kConfigFile);
  return read_input_file(path, kConfigFile, display_path(path));
}

}  // namespace sassim::config
