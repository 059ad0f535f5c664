// SPDX-License-Identifier: Apache-2.0
// Finds the files that come with sassim: configurations, published values, prepared programs.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace sassim {

/// The file of the simulator in this process: the library libsassim.so, or else the program.
std::filesystem::path own_file();

/// The folders that may hold the data `name` ("configs", "validation"), in the order of the search: the folders in the
/// environment variable, separated by ':'; then ../share/sassim/`name` relative to the folder of own_file(); and only
/// if that does not exist, `name` in the source tree, for a program in its build folder. An installed program never
/// uses the tree that it was built from.
std::vector<std::string> data_folders(std::string_view name, const char* variable);

/// The first of these folders that exists. Throws InputError that names all of them and the variable.
std::string find_data_folder(std::string_view name, const char* variable);

/// `name` in the source tree, for a program in its build folder; empty for an installed one.
std::string source_folder(std::string_view name);

}  // namespace sassim
