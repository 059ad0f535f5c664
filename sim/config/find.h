// SPDX-License-Identifier: Apache-2.0
// Where configurations lie.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sassim::config {

struct ConfigFile {
  std::string name;  ///< what --config takes
  std::string path;
};

/// Folders that are searched for NAME.yaml and chips/NAME.yaml, first match wins: those of $SASSIM_CONFIGS, then the
/// ones that came with the program (sim/base/data_folder.h).
std::vector<std::string> config_folders();

/// Every configuration in those folders, by name.
std::vector<ConfigFile> list_configs();

/// The layers of one kind, by name: the files in `subfolder` ("generations", ...) of those folders.
std::vector<ConfigFile> list_layers(std::string_view subfolder);

/// The file meant by a path (anything with a '/' or ending in .yaml, or an existing file) or by a name. Throws
/// InputError that lists the known names.
std::string find_config(std::string_view name_or_file);

/// `path` relative to the working folder if that is below it, for messages.
std::string display_path(const std::string& path);

}  // namespace sassim::config
