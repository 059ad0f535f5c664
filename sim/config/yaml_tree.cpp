// SPDX-License-Identifier: Apache-2.0
// Parses YAML by yaml-cpp into a tree with line and column, and collects the comment of each line.
#include "sim/config/yaml_tree.h"

#include <yaml-cpp/anchor.h>
#include <yaml-cpp/emitterstyle.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>

#include "sim/base/error.h"

namespace sassim::config {

namespace {

Mark to_mark(const YAML::Mark& mark) { return {mark.line + 1, mark.column + 1}; }

/// Builds the tree from parser events, which show duplicate keys; the library's own nodes do not.
class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(std::string file) : file_(std::move(file)) {}

  YamlNode take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    add({YamlNode::Kind::null, to_mark(mark), {}, {}, {}});
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    fail(to_mark(mark), "aliases (*name) are not supported");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t, const std::string& value) override {
    refuse_tag(mark, tag);
    if (!stack_.empty() && stack_.back().node.kind == YamlNode::Kind::mapping && !stack_.back().has_key)
      return set_key(to_mark(mark), value);
    add({YamlNode::Kind::scalar, to_mark(mark), value, {}, {}});
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, YamlNode::Kind::sequence);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t, YAML::EmitterStyle::value) override {
    open(mark, tag, YamlNode::Kind::mapping);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

 private:
  struct Level {
    YamlNode node;
    bool has_key = false;  ///< a mapping's key has been read, and its value comes next
    std::string key;
    Mark key_mark;
  };

  [[noreturn]] void fail(Mark mark, const std::string& what) const {
    throw InputError("{}:{}:{}: {}", file_, mark.line, mark.column, what);
  }

  void refuse_tag(const YAML::Mark& mark, const std::string& tag) const {
    if (!tag.empty() && tag != "?" && tag != "!") fail(to_mark(mark), "tags (!name) are not supported");
  }

  void set_key(Mark mark, const std::string& key) {
    Level& level = stack_.back();
    for (const auto& entry : level.node.entries)
      if (entry.key == key)
        fail(mark, fmt::format("key '{}' appears twice; the first is in line {}", key, entry.mark.line));
    level.has_key = true;
    level.key = key;
    level.key_mark = mark;
  }

  void open(const YAML::Mark& mark, const std::string& tag, YamlNode::Kind kind) {
    refuse_tag(mark, tag);
    if (!stack_.empty() && stack_.back().node.kind == YamlNode::Kind::mapping && !stack_.back().has_key)
      fail(to_mark(mark), "a key must be one word, not a list or a mapping");
    stack_.push_back({{kind, to_mark(mark), {}, {}, {}}, false, {}, {}});
  }

  void close() {
    YamlNode node = std::move(stack_.back().node);
    stack_.pop_back();
    add(std::move(node));
  }

  void add(YamlNode node) {
    if (stack_.empty()) {
      root_ = std::move(node);
      return;
    }
    Level& level = stack_.back();
    if (level.node.kind == YamlNode::Kind::sequence) {
      level.node.items.push_back(std::move(node));
    } else if (level.has_key) {
      level.node.entries.push_back({level.key, level.key_mark, std::move(node)});
      level.has_key = false;
    } else {
      fail(node.mark, "a key is missing");
    }
  }

  std::string file_;
  YamlNode root_;
  std::vector<Level> stack_;
};

void refuse_control_characters(const std::string& text, const std::string& file) {
  int line = 1;
  for (char c : text) {
    if (c == '\n') ++line;
    const auto code = static_cast<unsigned char>(c);
    if ((code < 0x20 && c != '\n' && c != '\t' && c != '\r') || code == 0x7f || code == 0xfe || code == 0xff)
      throw InputError("{}:{}:1: byte 0x{:02x} is not text; a configuration is UTF-8", file, line, code);
  }
}

/// The position of the '#' that starts the line's comment: outside of quotes, and at the start or behind a blank.
std::size_t comment_start(std::string_view line) {
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != 0) {
      if (quote == '"' && c == '\\')
        ++i;
      else if (c == quote)
        quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '#' && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t')) {
      return i;
    }
  }
  return std::string_view::npos;
}

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r#");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

}  // namespace

YamlNode parse_yaml(const std::string& text, const std::string& file) {
  refuse_control_characters(text, file);
  std::istringstream stream(text);
  try {
    YAML::Parser parser(stream);
    TreeBuilder builder(file);
    if (!parser.HandleNextDocument(builder)) return {};
    YamlNode root = builder.take();
    TreeBuilder rest(file);
    if (parser.HandleNextDocument(rest)) throw InputError("{}:1:1: more than one YAML document in the file", file);
    return root;
  } catch (const YAML::Exception& error) {
    const Mark mark = error.mark.is_null() ? Mark{1, 1} : to_mark(error.mark);
    throw InputError("{}:{}:{}: not YAML: {}", file, mark.line, mark.column, error.msg);
  }
}

std::vector<std::string> line_comments(std::string_view text) {
  std::vector<std::string> comments;
  std::string above;
  std::size_t above_indent = 0;
  bool above_open = false;  // the comment may continue in the next line
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const auto start = comment_start(line);
    const std::string comment = start == std::string_view::npos ? "" : std::string(trim(line.substr(start)));
    const auto indent = line.find_first_not_of(" \t\r");
    if (indent == std::string_view::npos || indent < above_indent) above.clear();
    const bool only_comment = start != std::string_view::npos && indent == start;
    if (only_comment) {
      above = above_open && !above.empty() ? above + " " + comment : comment;
      above_indent = indent;
    }
    above_open = only_comment;
    comments.push_back(comment.empty() ? above : comment);
  }
  return comments;
}

}  // namespace sassim::config
