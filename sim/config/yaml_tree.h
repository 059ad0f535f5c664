// SPDX-License-Identifier: Apache-2.0
// A YAML document as written: with the place of every key and value, duplicate keys refused, and the comments kept.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sassim::config {

/// Line and column, from 1.
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

/// Reads one document. Throws InputError, with `file`:line:column, for anything that is not plain YAML: syntax errors,
/// duplicate keys, aliases, tags, several documents, control characters.
YamlNode parse_yaml(const std::string& text, const std::string& file);

/// What a comment says of each line: the one at its end (without '#'), else a comment of its own above, which covers
/// the lines below it up to a blank line, the next such comment or the end of the group; "" where there is none. Index
/// 0 is line 1.
std::vector<std::string> line_comments(std::string_view text);

}  // namespace sassim::config
