// SPDX-License-Identifier: Apache-2.0
// Checks of output files before a command starts: which file a path stands for, whether it can be written, and that no
// output overwrites an input or another output.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

namespace sassim {

struct OutputTarget {
  std::filesystem::path path;  ///< absolute, after following symbolic links
  bool streamed = false;       ///< a terminal, pipe or device, which cannot be replaced by a new file
  bool exists = false;
  struct stat state {};  ///< of an existing file
  int descriptor = -1;   ///< only if streamed: this process's open file behind /dev/stdout or /dev/fd/N

  /// Whether it is the file with this device and inode.
  bool is(const struct stat& other) const;
  /// Whether a write to one changes the other: the same name, or two names of one file. Two names of one stream are
  /// allowed.
  bool same_file(const OutputTarget& other) const;
};

/// Follows `path`, which need not exist. Throws InputError if it is a folder, if its folder does not exist or if it
/// cannot be written.
OutputTarget output_target(const std::filesystem::path& path);

/// A file as the user named it, with the option.
struct NamedFile {
  std::string option;  ///< "--json"
  std::filesystem::path path;
};

/// Call it at the start of a command, before hours of work. Checks that every output can be written (empty paths are
/// skipped), that none is one of the `inputs`, and that no two are the same file. Throws InputError or UsageError.
void check_outputs(const std::vector<std::filesystem::path>& inputs, const std::vector<NamedFile>& outputs);

/// The same for files in a folder, which is made if it does not exist. An empty `folder` is skipped.
void check_output_folder(const std::filesystem::path& folder, const std::vector<std::string>& files);

/// Throws InputError that says why a file cannot be written and what to do.
[[noreturn]] void cannot_write(const std::filesystem::path& path, int why);

}  // namespace sassim
