// SPDX-License-Identifier: Apache-2.0
// Makes the temporary folder of a `sassim exec`, and removes those of runs that were killed.
#include "sim/session/session_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

#include "sim/base/error.h"
#include "sim/base/printable.h"

namespace sassim::session {

namespace fs = std::filesystem;

namespace {

constexpr const char* kPrefix = "sassim-exec-";
constexpr const char* kLock = "lock";

/// A folder without a lock is new, or was never used.
bool is_old(const struct stat& state) {
  constexpr time_t kSeconds = 60;
  return state.st_mtime + kSeconds < std::time(nullptr);
}

void remove_if_abandoned(const fs::path& folder) {
  struct stat state {};
  if (lstat(folder.c_str(), &state) != 0 || !S_ISDIR(state.st_mode) || state.st_uid != geteuid()) return;
  const int lock = open((folder / kLock).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  const bool free = lock < 0 ? errno == ENOENT && is_old(state) : flock(lock, LOCK_EX | LOCK_NB) == 0;
  std::error_code ignored;
  if (free) fs::remove_all(folder, ignored);
  if (lock >= 0) close(lock);
}

/// Absolute, because programs change their working directory.
fs::path temporary_folder() {
  std::error_code error;
  const fs::path folder = fs::absolute(fs::temp_directory_path(error), error);
  if (!error) return folder;
  const char* const named = std::getenv("TMPDIR");
  throw InputError("TMPDIR names '{}', which is not a folder: make it, or set TMPDIR to a folder that can be written",
                   printable(named ? named : ""));
}

}  // namespace

void remove_abandoned_sessions() {
  std::error_code error;
  for (fs::directory_iterator at(temporary_folder(), error), end; !error && at != end; at.increment(error))
    if (at->path().filename().string().starts_with(kPrefix)) remove_if_abandoned(at->path());
}

SessionFolder::SessionFolder() {
  remove_abandoned_sessions();
  std::string name = (temporary_folder() / (std::string(kPrefix) + "XXXXXX")).string();
  if (!mkdtemp(name.data()))
    throw InputError("{}: cannot make a folder for the session: {}; set TMPDIR to a folder that can be written", name,
                     std::strerror(errno));
  path_ = name;
  // The file gets its name when it is locked: until then another process could lock it and remove the folder.
  const fs::path fresh = path_ / "lock.new";
  lock_ = open(fresh.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (lock_ < 0) return;
  flock(lock_, LOCK_EX | LOCK_NB);
  std::error_code ignored;
  fs::rename(fresh, path_ / kLock, ignored);
}

SessionFolder::~SessionFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  if (lock_ >= 0) close(lock_);
}

}  // namespace sassim::session
