// SPDX-License-Identifier: Apache-2.0
// Finds the YAML files of GPUs and their layers by name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sassim::config {

struct ConfigFile {
  std::string name;  ///< the value for --config
  std::string path;
};

/// Folders that are searched for NAME.yaml and chips/NAME.yaml; the first match wins. The order is: folders of
/// $SASSIM_CONFIGS, then the folders that came with the program (sim/base/data_folder.h).
std::vector<std::string> config_folders();

/// All configurations in these folders, by name.
std::vector<ConfigFile> list_configs();

/// The same; throws InputError with the folders if there are none.
std::vector<ConfigFile> some_configs();

/// All layers of one kind, by name: the files in `subfolder` ("generations", ...) of these folders.
std::vector<ConfigFile> list_layers(std::string_view subfolder);

/// The file for a path (text with '/', text that ends in .yaml, or an existing file) or for a name. Throws InputError
/// that lists the known names.
std::string find_config(std::string_view name_or_file);

/// For messages: `path` relative to the working folder, if it is below it.
std::string display_path(const std::string& path);

}  // namespace sassim::config
