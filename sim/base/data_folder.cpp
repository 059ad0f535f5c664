// SPDX-License-Identifier: Apache-2.0
// Looks for sassim's data: in folders of an environment variable, beside the installed program, in the source tree.
#include "sim/base/data_folder.h"

#include <dlfcn.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "sim/base/error.h"

namespace sassim {

namespace fs = std::filesystem;

namespace {

bool lies_below(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

bool in_build_folder() {
  std::error_code error;
  return lies_below(own_file(), fs::weakly_canonical(SASSIM_BUILD_FOLDER, error));
}

}  // namespace

fs::path own_file() {
  std::error_code error;
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&own_file), &info) != 0 &&
      fs::path(info.dli_fname).filename().string().starts_with("libsassim.so"))
    return fs::canonical(info.dli_fname, error);
  return fs::read_symlink("/proc/self/exe", error);
}

std::vector<std::string> data_folders(std::string_view name, const char* variable) {
  std::vector<std::string> folders;
  const char* listed = std::getenv(variable);
  std::string_view rest = listed ? listed : "";
  while (!rest.empty()) {
    const auto end = std::min(rest.find(':'), rest.size());
    if (end > 0) folders.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  std::error_code error;
  const fs::path installed = own_file().parent_path().parent_path() / "share/sassim" / name;
  const bool from_source = in_build_folder() && !fs::is_directory(installed, error);
  folders.push_back((from_source ? fs::path(SASSIM_SOURCE_FOLDER) / name : installed).string());
  return folders;
}

std::string find_data_folder(std::string_view name, const char* variable) {
  const std::vector<std::string> folders = data_folders(name, variable);
  std::error_code error;
  for (const std::string& folder : folders)
    if (fs::is_directory(folder, error)) return folder;
  throw InputError(
      "no folder '{}' was found; looked for {}; install sassim with cmake --install, or name the folder in ${}", name,
      fmt::join(folders, ", "), variable);
}

std::string source_folder(std::string_view name) {
  return in_build_folder() ? (fs::path(SASSIM_SOURCE_FOLDER) / name).string() : "";
}

}  // namespace sassim
