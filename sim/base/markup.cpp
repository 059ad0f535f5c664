// SPDX-License-Identifier: Apache-2.0
// Escapes text for HTML and SVG pages, and cuts Markdown pages into sections.
#include "sim/base/markup.h"

#include <algorithm>
#include <cctype>

#include "sim/base/printable.h"

namespace sassim {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : printable_lines(text, std::string_view::npos)) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

std::string upper_case(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return out;
}

namespace {

std::string anchor_of(std::string_view heading) {
  std::string anchor;
  for (const char c : lower_case(heading)) {
    if (c == ' ')
      anchor += '-';
    else if (c == '-' || c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0)
      anchor += c;
  }
  return anchor;
}

}  // namespace

std::vector<MarkdownSection> sections_of(std::string_view page) {
  std::vector<MarkdownSection> found;
  std::vector<std::size_t> starts;
  bool code = false;  // between fences, where # begins no heading
  for (std::size_t at = 0; at < page.size();) {
    const std::size_t end = std::min(page.find('\n', at), page.size());
    const std::string_view line = page.substr(at, end - at);
    const std::size_t level = line.find_first_not_of('#');
    if (line.starts_with("```")) code = !code;
    if (!code && level != 0 && level != line.npos && line[level] == ' ') {
      found.push_back({level, anchor_of(line.substr(level + 1)), ""});
      starts.push_back(at);
    }
    at = end + 1;
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    std::size_t next = i + 1;
    while (next < found.size() && found[next].level > found[i].level) ++next;
    found[i].text = page.substr(starts[i], next < found.size() ? starts[next] - starts[i] : page.npos);
  }
  return found;
}

}  // namespace sassim
