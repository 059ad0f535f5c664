// SPDX-License-Identifier: Apache-2.0
// What stands behind a name that is going to be written.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

namespace sassim {

struct OutputTarget {
  std::filesystem::path path;  ///< absolute, with every symbolic link followed
  bool streamed = false;       ///< a terminal, pipe or device: it takes bytes as they come and cannot be replaced
  bool exists = false;
  struct stat state {};  ///< of what exists
  int descriptor = -1;   ///< streamed only: the open file of this process that /dev/stdout or /dev/fd/N stands for

  /// The file with this device and inode.
  bool is(const struct stat& other) const;
  /// Writing to one writes to the other: one name, or two of one file. Two may well go to the same stream.
  bool same_file(const OutputTarget& other) const;
};

/// Follows `path` to what it names, also to a file that is not there yet. Throws InputError when it is a folder, when
/// its folder is not there or when it may not be written.
OutputTarget output_target(const std::filesystem::path& path);

/// A file as the user named it, and by which option.
struct NamedFile {
  std::string option;  ///< "--json"
  std::filesystem::path path;
};

/// For the beginning of a command, before hours of work: every output can be written (empty paths are skipped), none is
/// one of the `inputs`, and no two are the same file. Throws InputError or UsageError.
void check_outputs(const std::vector<std::filesystem::path>& inputs, const std::vector<NamedFile>& outputs);

/// The same for a folder, which is made if it is not there, and for these files in it. An empty `folder` is skipped.
void check_output_folder(const std::filesystem::path& folder, const std::vector<std::string>& files);

/// The InputError that says why a file cannot be written, and the way out.
[[noreturn]] void cannot_write(const std::filesystem::path& path, int why);

}  // namespace sassim
