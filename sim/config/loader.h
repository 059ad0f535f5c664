// SPDX-License-Identifier: Apache-2.0
// Makes a GpuConfig from a YAML file, its bases and layers, and the overrides of the command line.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/config/gpu_config.h"

namespace sassim::config {

/// Where a value was set. The highest level wins.
struct Provenance {
  int level = 0;                  ///< 0: the default
  std::string place = "default";  ///< configs/chips/t4.yaml:12:5, or -o l1.size=64KiB
  std::string comment;            ///< the comment that applies to the value in its file
  std::string written;            ///< the text in the file if it differs from the value: 14.4ns, sm, none
};

/// The registered names of each policy, by the path of its key. A key that is not listed accepts any name.
using KnownNames = std::map<std::string, std::vector<std::string>, std::less<>>;

struct LoadOptions {
  std::vector<std::string> overrides;  ///< KEY=VALUE, in order
  KnownNames known;
  bool partial = false;  ///< true: keys that no file sets keep their defaults (for tests); false: they are errors
};

struct LoadedConfig {
  GpuConfig config;
  std::string file;
  std::vector<std::string> chain;  ///< the file, its base, the base's base and so on, without layers
  std::map<std::string, Provenance, std::less<>> provenance;  ///< by path; only keys that were set
  std::vector<std::string> problems;  ///< one line each, with the place; empty: `config` is valid
  std::vector<std::string> notes;     ///< keys with a new name, values that were adjusted to an override
};

/// Reads a configuration and collects all its problems. Throws InputError only if there is no such file.
LoadedConfig read_config(std::string_view name_or_file, const LoadOptions& options = {});

/// The level of command-line overrides, above the levels of files.
inline constexpr int kOverrideLevel = 1000;

/// The same for text in memory. `file` is its name in messages; `base:` is relative to it.
LoadedConfig read_config_text(const std::string& text, const std::string& file, const LoadOptions& options = {});

/// A valid configuration by name ("t4") or file. Throws InputError with the first problem.
GpuConfig load_config(std::string_view name_or_file, const std::vector<std::string>& overrides = {});
GpuConfig load_config(std::string_view name_or_file, const LoadOptions& options);

/// Throws InputError with the first problem, if there is one.
void require_valid(const LoadedConfig& loaded);

/// Writes the notes to the log: keys with a new name, values that were adjusted.
void log_notes(const LoadedConfig& loaded);

}  // namespace sassim::config
