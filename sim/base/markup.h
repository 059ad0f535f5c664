// SPDX-License-Identifier: Apache-2.0
// Text for HTML and SVG pages, and the sections of Markdown pages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sassim {

/// Text as it stands in HTML and SVG, between tags or within an attribute's quotes; what would not be seen is escaped
/// as printable_lines() does.
std::string escaped(std::string_view text);

/// ASCII letters in one case; other bytes stay.
std::string lower_case(std::string_view text);
std::string upper_case(std::string_view text);

/// A heading of a Markdown page and what stands below it, to the next heading of its level or above.
struct MarkdownSection {
  std::size_t level = 0;  ///< how many `#` the heading has
  std::string anchor;     ///< as links name it: "## L2 capacity" is l2-capacity
  std::string text;       ///< with the heading
};
std::vector<MarkdownSection> sections_of(std::string_view page);

}  // namespace sassim
