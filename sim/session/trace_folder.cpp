// SPDX-License-Identifier: Apache-2.0
// Gives each run with --save-traces a folder of its own, without incomplete traces.
#include "sim/session/trace_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "sim/base/error.h"

namespace sassim::session {

namespace fs = std::filesystem;

namespace {

/// Subfolders do not count: that of another run can be there already when this one has just got the folder.
bool has_traces(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (at->path().extension() == ".sast") return true;
  return false;
}

fs::path make_subfolder(const fs::path& folder) {
  constexpr int kMost = 100'000;
  for (int run = 2; run < kMost; ++run) {
    const fs::path candidate = folder / fmt::format("run-{}", run);
    std::error_code error;
    if (fs::create_directory(candidate, error)) return candidate;
    if (error) throw InputError("{}: the folder cannot be made: {}", candidate.string(), error.message());
  }
  throw InputError("{}: has too many runs; choose another folder for --save-traces", folder.string());
}

}  // namespace

TraceFolder::TraceFolder(const fs::path& asked) : path_(fs::absolute(asked).lexically_normal()) {
  std::error_code error;
  fs::create_directories(path_, error);
  if (error) throw InputError("{}: the folder for traces cannot be made: {}", asked.string(), error.message());
  lock_ = open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  // If the file system has no locks, each run gets a subfolder, so that runs cannot collide.
  const bool alone = lock_ >= 0 && flock(lock_, LOCK_EX | LOCK_NB) == 0;
  if (alone) {
    remove_unfinished_traces(path_);
    if (!has_traces(path_)) return;
  }
  subfolder_ = true;
  path_ = make_subfolder(path_);
}

TraceFolder::~TraceFolder() {
  if (lock_ >= 0) close(lock_);
}

void remove_unfinished_traces(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    std::error_code ignored;
    if (name.ends_with(".sast.part") || (name.starts_with(".sassim-") && name.ends_with(".tmp")))
      fs::remove(at->path(), ignored);
  }
}

}  // namespace sassim::session
