// SPDX-License-Identifier: Apache-2.0
// Where the files lie that come with sassim: configurations, published values, prepared programs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sassim {

/// The folders that may hold the data called `name` ("configs", "validation"), the first to be asked first: those that
/// the environment variable lists, separated by ':'; then ../share/sassim/`name` from the program's own folder; and
/// only where that does not exist, `name` in the source tree, for a program that runs from its build folder. An
/// installed program never looks into the tree that it was built from.
std::vector<std::string> data_folders(std::string_view name, const char* variable);

/// The first of those folders that exists. Throws InputError that names all of them and the variable.
std::string find_data_folder(std::string_view name, const char* variable);

}  // namespace sassim
