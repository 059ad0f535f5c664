// SPDX-License-Identifier: Apache-2.0
// Finds the YAML file that `--config NAME` means, and lists the chips and layers that there are.
#include "sim/config/find.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "sim/base/data_folder.h"
#include "sim/base/error.h"
#include "sim/base/file_calls.h"
#include "sim/base/suggest.h"

namespace sassim::config {

namespace fs = std::filesystem;

std::vector<std::string> config_folders() { return data_folders("configs", "SASSIM_CONFIGS"); }

namespace {

/// Adds the .yaml files of `folder`, except names that are already in `found`.
void add_files(const fs::path& folder, std::vector<ConfigFile>& found) {
  std::error_code error;
  for (const fs::path& path : folder_entries(folder)) {
    if (path.extension() != ".yaml" || !fs::is_regular_file(path, error)) continue;
    const std::string name = path.stem().string();
    const auto same = [&](const ConfigFile& file) { return file.name == name; };
    if (std::none_of(found.begin(), found.end(), same)) found.push_back({name, path.string()});
  }
}

void sort_by_name(std::vector<ConfigFile>& files) {
  std::sort(files.begin(), files.end(), [](const ConfigFile& a, const ConfigFile& b) { return a.name < b.name; });
}

}  // namespace

std::vector<ConfigFile> list_configs() {
  std::vector<ConfigFile> found;
  for (const std::string& folder : config_folders()) {
    add_files(folder, found);
    add_files(fs::path(folder) / "chips", found);
  }
  sort_by_name(found);
  return found;
}

std::vector<ConfigFile> some_configs() {
  std::vector<ConfigFile> found = list_configs();
  if (found.empty())
    throw InputError("no configurations found in {}; SASSIM_CONFIGS names another folder",
                     fmt::join(config_folders(), ", "));
  return found;
}

std::vector<ConfigFile> list_layers(std::string_view subfolder) {
  std::vector<ConfigFile> found;
  for (const std::string& folder : config_folders()) add_files(fs::path(folder) / subfolder, found);
  sort_by_name(found);
  return found;
}

std::string find_config(std::string_view name_or_file) {
  const std::string name(name_or_file);
  std::error_code error;
  if (name == "-" || fs::is_regular_file(name, error)) return name;
  if (name.find('/') != std::string::npos || name.ends_with(".yaml"))
    throw InputError("{}: no such configuration file", name);
  std::vector<std::string> known;
  for (const ConfigFile& file : list_configs()) {
    if (file.name == name) return file.path;
    known.push_back(file.name);
  }
  if (known.empty())
    throw InputError(
        "unknown configuration '{}': {} has none; SASSIM_CONFIGS names another folder, or give the path "
        "of a .yaml file",
        name, fmt::join(config_folders(), ":"));
  throw InputError("unknown configuration '{}'{}; known: {}; or give the path of a .yaml file", name,
                   did_you_mean(name, known), fmt::join(known, ", "));
}

std::string display_path(const std::string& path) {
  std::error_code error;
  const std::string relative = fs::proximate(path, error).string();
  return error || relative.empty() || relative.starts_with("..") ? path : relative;
}

}  // namespace sassim::config
