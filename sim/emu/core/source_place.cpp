// SPDX-License-Identifier: Apache-2.0
#include "sim/emu/core/source_place.h"

#include <fmt/format.h>

#include <filesystem>

namespace sassim::emu {

std::string source_place(const Kernel& kernel, std::uint32_t index) {
  const isa::LineTable& table = kernel.source;
  if (index >= table.lines.size()) return {};
  const isa::SourceLine& line = table.lines[index];
  if (line.line == 0 || line.file >= table.files.size()) return {};
  return fmt::format("{}:{}", std::filesystem::path(table.files[line.file]).filename().string(), line.line);
}

}  // namespace sassim::emu
