// SPDX-License-Identifier: Apache-2.0
// Names the line of CUDA source that an instruction of a kernel comes from, for messages.
#include "sim/emu/core/source_place.h"

#include <fmt/format.h>

#include <filesystem>

namespace sassim::emu {

namespace {

std::string text_of(const isa::LineTable& table, const std::vector<isa::SourceLine>& lines, std::uint32_t index) {
  if (index >= lines.size()) return {};
  const isa::SourceLine& line = lines[index];
  if (line.line == 0 || line.file >= table.files.size()) return {};
  return fmt::format("{}:{}", std::filesystem::path(table.files[line.file]).filename().string(), line.line);
}

}  // namespace

std::string source_place(const Kernel& kernel, std::uint32_t index) {
  const isa::LineTable& table = kernel.source;
  const std::string place = text_of(table, table.lines, index), call = text_of(table, table.calls, index);
  return place.empty() || call.empty() ? place : fmt::format("{} called at {}", place, call);
}

}  // namespace sassim::emu
