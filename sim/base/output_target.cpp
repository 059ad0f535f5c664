// SPDX-License-Identifier: Apache-2.0
// Follows the path of an output file to the file behind it, and compares it with inputs and other outputs.
#include "sim/base/output_target.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <utility>

#include "sim/base/error.h"

namespace sassim {

namespace fs = std::filesystem;

namespace {

constexpr int kMostLinks = 40;  // symbolic links that Linux follows

/// N if `folder`/`name` is /proc/PID/fd/N of this process; else -1.
int own_descriptor(const fs::path& folder, const std::string& name) {
  if (folder != fs::path("/proc") / std::to_string(getpid()) / "fd") return -1;
  const bool all_digits = std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  return all_digits && name.size() < 8 ? std::stoi(name) : -1;
}

bool below_proc(const fs::path& folder) { return folder == "/proc" || folder.string().starts_with("/proc/"); }

std::string way_out(const fs::path& path, int why) {
  switch (why) {
    case ENOSPC:
    case EDQUOT:
      return "; make room, or name a file on another disk";
    case EFBIG:
      return "; raise the limit of file sizes ('ulimit -f'), or name a file on another disk";
    case ENOENT:
    case ENOTDIR:
      return fmt::format("; make the folder {} first", path.parent_path().empty() ? "." : path.parent_path().string());
    case EACCES:
    case EPERM:
    case EROFS:
      return "; name a file in a folder that you may write to";
    case EISDIR:
      return "; name a file in it";
    default:
      return "";
  }
}

}  // namespace

void cannot_write(const fs::path& path, int why) {
  throw InputError("{}: cannot be written: {}{}", path.string(), std::strerror(why), way_out(path, why));
}

OutputTarget output_target(const fs::path& asked) {
  OutputTarget target;
  fs::path at = fs::absolute(asked);
  for (int links = 0; links <= kMostLinks; ++links) {
    const std::string name = at.filename().string();
    if (name.empty() || name == "." || name == "..") cannot_write(asked, fs::is_directory(at) ? EISDIR : ENOENT);
    std::error_code error;
    const fs::path folder = fs::canonical(at.parent_path(), error);
    if (error) cannot_write(asked, error.value());
    target.path = folder / name;
    target.descriptor = own_descriptor(folder, name);
    target.streamed = target.descriptor >= 0 || below_proc(folder);
    if (lstat(target.path.c_str(), &target.state) != 0) {
      if (errno != ENOENT || target.streamed) cannot_write(asked, errno);
      return target;
    }
    target.exists = true;
    if (S_ISLNK(target.state.st_mode) && !target.streamed) {
      at = folder / fs::read_symlink(target.path);
      target.exists = false;
      continue;
    }
    if (target.streamed && stat(target.path.c_str(), &target.state) != 0) cannot_write(asked, errno);
    if (S_ISDIR(target.state.st_mode)) cannot_write(asked, EISDIR);
    if (!S_ISREG(target.state.st_mode)) target.streamed = true;
    if (target.descriptor < 0 && access(target.path.c_str(), W_OK) != 0) cannot_write(asked, errno);
    return target;
  }
  cannot_write(asked, ELOOP);
}

bool OutputTarget::is(const struct stat& other) const {
  return exists && state.st_dev == other.st_dev && state.st_ino == other.st_ino;
}

bool OutputTarget::same_file(const OutputTarget& other) const {
  if (streamed && other.streamed) return false;
  return path == other.path || (other.exists && is(other.state));
}

void check_output_folder(const fs::path& folder, const std::vector<std::string>& files) {
  if (folder.empty()) return;
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) cannot_write(folder, error.value());
  for (const std::string& file : files) check_outputs({}, {{"", folder / file}});
}

void check_outputs(const std::vector<fs::path>& inputs, const std::vector<NamedFile>& outputs) {
  std::vector<std::pair<const NamedFile*, OutputTarget>> seen;
  for (const NamedFile& output : outputs) {
    if (output.path.empty()) continue;
    OutputTarget target = output_target(output.path);
    if (access(target.path.parent_path().c_str(), W_OK | X_OK) != 0 && !target.streamed)
      cannot_write(output.path, errno);
    for (const fs::path& input : inputs) {
      struct stat state {};
      if (stat(input.c_str(), &state) == 0 && S_ISREG(state.st_mode) && target.is(state))
        throw UsageError("{} {}: is read by this command (as {}); name another file to write", output.option,
                         output.path.string(), input.string());
    }
    for (const auto& [other, place] : seen)
      if (target.same_file(place))
        throw UsageError("{} {}: {} writes the same file; choose another", output.option, output.path.string(),
                         other->option);
    seen.emplace_back(&output, std::move(target));
  }
}

}  // namespace sassim
