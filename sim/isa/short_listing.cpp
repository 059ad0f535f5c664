// SPDX-License-Identifier: Apache-2.0
#include "sim/isa/short_listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "sim/base/error.h"
#include "sim/isa/cubin.h"

namespace sassim::isa {
namespace {

constexpr std::string_view kSection = ".section\t", kCode = ".text.", kFlags = ".headerflags";
constexpr std::size_t kEncodingBytes = 16;

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

/// Of "/*0090*/ @P0 BRA `(.L_x_2) ; /* 0x0000040000080947 */" the text; empty if the line has comments only.
std::string_view text_of(std::string_view line) {
  const std::size_t begin = line.find("*/") + 2, end = line.rfind("/*");
  return end <= begin ? std::string_view() : without_space(line.substr(begin, end - begin));
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
  bool in_code = false, second_half = false;
  const auto keep = [&](std::string_view line) { kept.append(line).push_back('\n'); };
  each_line(listing, [&](std::string_view line) {
    if (line.starts_with(kSection)) {
      in_code = without_space(line.substr(kSection.size())).starts_with(kCode);
      if (in_code) keep(line);
    } else if (line.starts_with(kFlags) || (in_code && line.ends_with(':'))) {
      keep(line);
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
  const CubinSection* section = nullptr;
  std::size_t at = 0;
  std::string listing;
  each_line(kept, [&](std::string_view line) {
    if (line.starts_with(kSection)) {
      section = &code_section(parts, line, name);
      at = 0;
    }
    if (line.starts_with(kSection) || line.starts_with(kFlags) || line.ends_with(':')) {
      listing.append(line).push_back('\n');
      return;
    }
    if (section == nullptr || section->bytes.size() < at + kEncodingBytes)
      throw InputError("{}: the kept listing has more instructions than the cubin; remove the listing", name);
    std::uint64_t low = 0, high = 0;
    std::memcpy(&low, section->bytes.data() + at, sizeof low);
    std::memcpy(&high, section->bytes.data() + at + sizeof low, sizeof high);
    if (line != "?") fmt::format_to(std::back_inserter(listing), "/*{:04x}*/ {} ", at, line);
    fmt::format_to(std::back_inserter(listing), "/* 0x{:016x} */\n/* 0x{:016x} */\n", low, high);
    at += kEncodingBytes;
  });
  return listing;
}

}  // namespace sassim::isa
