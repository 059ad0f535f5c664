// SPDX-License-Identifier: Apache-2.0
// A file of a configuration: its keys, and the comments that say where their values come from.
#pragma once

#include <string>
#include <vector>

#include "sim/config/yaml_tree.h"

namespace sassim::config {

/// One file and its content.
struct SourceFile {
  std::string file;  ///< its name in messages
  std::string via;   ///< " (base of chips/t4.yaml:3:7)", or empty
  std::vector<std::string> comments;
  YamlNode root;
  bool chip = false;  ///< true: one of the chip's own files, false: a layer

  std::string place(Mark mark) const;
  /// The comment that applies to the line.
  std::string comment(Mark mark) const;
};

/// The content of a configuration file ("-": standard input). Throws InputError.
std::string read_text(const std::string& path);

}  // namespace sassim::config
