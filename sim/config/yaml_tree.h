// SPDX-License-Identifier: Apache-2.0
// A YAML document with the place of every key and value, and with its comments. Duplicate keys are errors.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sassim::config {

/// Line and column, both counted from 1.
struct Mark {
  int line = 0;
  int column = 0;
};

struct YamlNode {
  enum class Kind { null, scalar, sequence, mapping };
  struct Entry;

  Kind kind = Kind::null;
  Mark mark;
  std::string scalar;
  std::vector<YamlNode> items;  ///< of a sequence
  std::vector<Entry> entries;   ///< of a mapping, in the order of the file
};

struct YamlNode::Entry {
  std::string key;
  Mark mark;
  YamlNode value;
};

/// Reads one document. Throws InputError with `file`:line:column for everything that is not plain YAML: syntax errors,
/// duplicate keys, aliases, tags, several documents, control characters.
YamlNode parse_yaml(const std::string& text, const std::string& file);

/// The comment that applies to each line: the comment at the end of the line (without '#'), otherwise the comment lines
/// above it; "" if there is none. Comment lines apply to the lines below them up to a blank line, the next comment
/// lines or the end of the group. Index 0 is line 1.
std::vector<std::string> line_comments(std::string_view text);

}  // namespace sassim::config
