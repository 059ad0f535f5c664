// SPDX-License-Identifier: Apache-2.0
// From a YAML file, its bases and layers, and the overrides of the command line to a GpuConfig.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/config/gpu_config.h"

namespace sassim::config {

/// Where a value was set. What has the higher level was set later and wins.
struct Provenance {
  int level = 0;                  ///< 0: the default
  std::string place = "default";  ///< configs/t4.yaml:12:5, or -o l1.size=64KiB
  std::string comment;            ///< the comment beside it, in a file
  std::string written;            ///< as it was written where that is not the value: 14.4ns, sm, none
};

/// The registered names of each policy, by the path of its key; keys that are not here take any name.
using KnownNames = std::map<std::string, std::vector<std::string>, std::less<>>;

struct LoadOptions {
  std::vector<std::string> overrides;  ///< KEY=VALUE, in order
  KnownNames known;
  bool partial = false;  ///< keys that nobody sets keep their defaults; for tests. Otherwise they are an error
};

struct LoadedConfig {
  GpuConfig config;
  std::string file;
  std::vector<std::string> chain;  ///< the file, its base, the base's base ..., without the layers that they name
  std::map<std::string, Provenance, std::less<>> provenance;  ///< by path; only what was set
  std::vector<std::string> problems;  ///< one line each, with its place; empty: `config` is valid
  std::vector<std::string> notes;     ///< what had to follow an override
};

/// Reads a configuration and says everything that is wrong with it. Throws InputError only when there is no such file.
LoadedConfig read_config(std::string_view name_or_file, const LoadOptions& options = {});

/// The level of the overrides of the command line; those of files are below.
inline constexpr int kOverrideLevel = 1000;

/// The same for text in memory; `file` is its name in messages, and what `base:` is relative to.
LoadedConfig read_config_text(const std::string& text, const std::string& file, const LoadOptions& options = {});

/// A valid configuration by name ("t4") or file, or InputError with the first problem.
GpuConfig load_config(std::string_view name_or_file, const std::vector<std::string>& overrides = {});
GpuConfig load_config(std::string_view name_or_file, const LoadOptions& options);

/// Throws InputError with the first problem, if there is one.
void require_valid(const LoadedConfig& loaded);

}  // namespace sassim::config
