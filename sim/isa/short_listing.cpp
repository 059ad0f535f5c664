// SPDX-License-Identifier: Apache-2.0
// Shortens a listing of nvdisasm to what a cubin does not say itself, and restores it.
#include "sim/isa/short_listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <iterator>

#include "sim/base/error.h"
#include "sim/isa/architecture.h"
#include "sim/isa/cubin.h"

namespace sassim::isa {
namespace {

constexpr std::string_view kSection = ".section\t", kCode = ".text.", kFlags = ".headerflags";

std::string_view without_space(std::string_view text) {
  constexpr const char* kSpace = " \t\r";
  const std::size_t first = text.find_first_not_of(kSpace);
  return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

/// Calls `use` with each line that is not empty, without the space around it.
template <class Use>
void each_line(std::string_view text, Use use) {
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    if (const std::string_view line = without_space(text.substr(start, end - start)); !line.empty()) use(line);
    start = end + 1;
  }
}

/// Of "/*0090*/ @P0 BRA `(.L_x_2) ; /* 0x0000040000080947 */" the text; empty if the line has comments only. The second
/// of two instructions that issue together has its encoding on the next line.
std::string_view text_of(std::string_view line) {
  const std::size_t begin = line.find("*/") + 2;
  const std::size_t end = line.ends_with('}') ? line.size() : line.rfind("/*");
  return end <= begin ? std::string_view() : without_space(line.substr(begin, end - begin));
}

/// The address of "/*0090*/ @P0 BRA ...".
std::uint64_t address_of(std::string_view line) {
  std::uint64_t address = 0;
  std::from_chars(line.data() + 2, line.data() + line.size(), address, 16);
  return address;
}

/// The bytes of a group of instructions with its control word; 0: the code has no control words. With them, lines that
/// are comments only belong to no instruction: they are control words, or encodings of instructions that have their
/// text already.
std::uint64_t group_bytes(std::string_view listing) {
  constexpr std::string_view kName = "EF_CUDA_SM";
  const std::size_t at = listing.find(kName);
  int sm = 0;
  if (at == std::string_view::npos) return 0;
  const std::string_view digits = listing.substr(at + kName.size());
  std::from_chars(digits.data(), digits.data() + digits.size(), sm);
  const Architecture* const found = find_architecture(sm);
  return found != nullptr && found->code.group() != 0 ? found->code.unit_bytes() : 0;
}

std::uint64_t word_at(const CubinSection& section, std::uint64_t at) {
  std::uint64_t word = 0;
  std::memcpy(&word, section.bytes.data() + at, sizeof word);
  return word;
}

/// Appends an instruction as nvdisasm prints it: one of 128 bits in two lines, one of 64 bits behind its control word.
void append_instruction(std::string& listing, std::string_view text, const CubinSection& section, CodeLayout layout,
                        std::uint64_t index) {
  const std::uint64_t at = layout.pc(index);
  const auto out = std::back_inserter(listing);
  const bool grouped = layout.group() != 0;
  if (grouped && index % layout.group() == 0)
    fmt::format_to(out, "/* 0x{:016x} */\n", word_at(section, at - layout.instruction_bytes()));
  const bool joined = text.ends_with('}');
  if (text != "?") fmt::format_to(out, "/*{:04x}*/ {}{}", at, text, joined ? "\n" : " ");
  fmt::format_to(out, "/* 0x{:016x} */\n", word_at(section, at));
  if (!grouped) fmt::format_to(out, "/* 0x{:016x} */\n", word_at(section, at + sizeof(std::uint64_t)));
}

const CubinSection& code_section(const Cubin& cubin, std::string_view line, std::string_view name) {
  const std::string_view rest = without_space(line.substr(kSection.size()));
  const std::string_view wanted = rest.substr(0, std::min(rest.find(','), rest.size()));
  const auto found = std::ranges::find(cubin.sections, wanted, &CubinSection::name);
  if (found == cubin.sections.end())
    throw InputError("{}: the kept listing has a section {} that the cubin does not have; remove the listing", name,
                     wanted);
  return *found;
}

}  // namespace

std::string shortened_listing(std::string_view listing) {
  std::string kept;
  const std::uint64_t group = group_bytes(listing);
  bool in_code = false, second_half = false, padding = false;
  const auto keep = [&](std::string_view line) { kept.append(line).push_back('\n'); };
  each_line(listing, [&](std::string_view line) {
    if (line.starts_with(kSection)) {
      in_code = without_space(line.substr(kSection.size())).starts_with(kCode);
      if (in_code) keep(line);
      padding = false;
    } else if (line.starts_with(kFlags) || (in_code && line.ends_with(':'))) {
      keep(line);
    } else if (in_code && group != 0 && line.starts_with("/*")) {
      if (text_of(line).empty()) return;
      padding = padding || address_of(line) % group == 0;  // what stands in place of a control word is never reached
      if (!padding) keep(text_of(line));
    } else if (in_code && line.starts_with("/*")) {
      if (!second_half) keep(text_of(line).empty() ? "?" : text_of(line));
      second_half = !second_half;
    }
  });
  return kept;
}

std::string completed_listing(std::string_view kept, std::span<const std::uint8_t> cubin, std::string_view name) {
  if (!kept.starts_with(kFlags)) return std::string(kept);  // nvdisasm indents its first line
  const Cubin parts = read_cubin(cubin, name);
  const CodeLayout layout = architecture(parts.sm, name).code;
  const CubinSection* section = nullptr;
  std::uint64_t index = 0;
  std::string listing;
  each_line(kept, [&](std::string_view line) {
    if (line.starts_with(kSection)) {
      section = &code_section(parts, line, name);
      index = 0;
    }
    if (line.starts_with(kSection) || line.starts_with(kFlags) || line.ends_with(':')) {
      listing.append(line).push_back('\n');
      return;
    }
    if (section == nullptr || section->bytes.size() < layout.pc(index) + layout.instruction_bytes())
      throw InputError("{}: the kept listing has more instructions than the cubin; remove the listing", name);
    append_instruction(listing, line, *section, layout, index++);
  });
  return listing;
}

}  // namespace sassim::isa
