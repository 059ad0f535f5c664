// SPDX-License-Identifier: Apache-2.0
// Writes output files under a temporary name or none, and gives them theirs when they are complete on disk.
#include "sim/base/durable_file.h"

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "sim/base/error.h"
#include "sim/base/file_calls.h"

namespace sassim {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kBuffer = 64 << 10;
constexpr int kMostNames = 100;  // attempts, each with 64 random bits

/// Names for remove_temporaries(), which may use only atomics. Further files at the same time are not included.
std::array<std::atomic<const char*>, 64> temporaries;

void register_temporary(const char* name) {
  for (auto& slot : temporaries)
    if (const char* none = nullptr; slot.compare_exchange_strong(none, name)) return;
}

void unregister_temporary(const char* name) {
  for (auto& slot : temporaries)
    if (const char* same = name; slot.compare_exchange_strong(same, nullptr)) return;
}

/// The name is short, so that it fits wherever the final name fits; it is random, because several machines may share
/// the folder.
std::string temporary_name(const fs::path& folder) {
  std::uint64_t bits = 0;
  if (getrandom(&bits, sizeof bits, 0) != sizeof bits) bits = static_cast<std::uint64_t>(getpid());
  return (folder / fmt::format(".sassim-{:016x}.tmp", bits)).string();
}

/// During its lifetime, a write of this thread beyond the limit of file sizes returns EFBIG instead of killing the
/// process.
class NoSizeSignal {
 public:
  NoSizeSignal() {
    sigemptyset(&set_);
    sigaddset(&set_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &set_, &before_);
  }
  ~NoSizeSignal() {
    const int kept = errno;
    const timespec none{0, 0};
    if (kept == EFBIG && sigismember(&before_, SIGXFSZ) == 0) sigtimedwait(&set_, nullptr, &none);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = kept;
  }
  NoSizeSignal(const NoSizeSignal&) = delete;
  NoSizeSignal& operator=(const NoSizeSignal&) = delete;

 private:
  sigset_t set_, before_;
};

/// Syncs a folder's entries to disk; returns 0 or the error. A folder that can be written but not read cannot be
/// synced.
int sync_folder(const fs::path& folder) {
  const FileCalls& calls = file_calls();
  const int descriptor = calls.open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (descriptor < 0) return errno == EACCES ? 0 : errno;
  const int why = calls.fsync(descriptor) == 0 || errno == EINVAL ? 0 : errno;
  calls.close(descriptor);
  return why;
}

}  // namespace

bool write_fully(int descriptor, std::string_view text) {
  const NoSizeSignal no_signal;
  while (!text.empty()) {
    const ssize_t written = file_calls().write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    if (written == 0) {  // a target that accepts nothing would cause an endless loop
      errno = EIO;
      return false;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

DurableFile::DurableFile(fs::path path, Sync sync)
    : path_(std::move(path)), sync_(sync), target_(output_target(path_)), maker_(getpid()) {
  if (target_.streamed)
    open_stream();
  else
    open_unnamed();
}

DurableFile::~DurableFile() { give_up(); }

void DurableFile::open_stream() {
  if (target_.descriptor >= 0) {
    std::fflush(nullptr);  // earlier output must come first
    descriptor_ = fcntl(target_.descriptor, F_DUPFD_CLOEXEC, 0);
  } else {
    descriptor_ = file_calls().open(target_.path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC, 0);
  }
  if (descriptor_ < 0) fail(errno);
}

void DurableFile::open_unnamed() {
  const fs::path folder = target_.path.parent_path();
  if (access("/proc/thread-self/fd", X_OK) == 0)
    descriptor_ = file_calls().open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
  else
    errno = EOPNOTSUPP;
  if (descriptor_ < 0) {
    // Kernels and file systems without unnamed files return these errors.
    if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL && errno != ENOENT) fail(errno);
    open_named();
  }
  if (!target_.exists) return;
  // The new file gets the old file's permissions, and its owner if that is allowed.
  if (fchown(descriptor_, target_.state.st_uid, target_.state.st_gid) != 0) errno = 0;
  if (fchmod(descriptor_, target_.state.st_mode & 0777) != 0) fail(errno);
}

void DurableFile::open_named() {
  for (int i = 0; i < kMostNames; ++i) {
    std::string name = temporary_name(target_.path.parent_path());
    descriptor_ = file_calls().open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && errno == EEXIST) continue;
    if (descriptor_ < 0) break;
    temporary_ = std::move(name);
    register_temporary(temporary_.c_str());
    return;
  }
  fail(errno);
}

void DurableFile::name_it() {
  for (int i = 0; i < kMostNames; ++i) {
    temporary_ = temporary_name(target_.path.parent_path());
    register_temporary(temporary_.c_str());
    if (file_calls().link(descriptor_, temporary_.c_str()) == 0) return;
    const int why = errno;
    unregister_temporary(temporary_.c_str());
    temporary_.clear();
    if (why != EEXIST) fail(why);
  }
  fail(EEXIST);
}

void DurableFile::write(std::string_view bytes) {
  if (descriptor_ < 0) throw std::logic_error(path_.string() + " was already finished");
  if (buffer_.size() + bytes.size() > kBuffer) flush();
  if (bytes.size() < kBuffer)
    buffer_.append(bytes);
  else
    put(bytes);
}

void DurableFile::put(std::string_view bytes) {
  flush_printed();
  if (!write_fully(descriptor_, bytes)) fail(errno);
}

/// Flushes earlier output if this file is standard output.
void DurableFile::flush_printed() const {
  if (target_.descriptor >= 0) std::fflush(nullptr);
}

void DurableFile::flush() {
  put(buffer_);
  buffer_.clear();
}

void DurableFile::close() {
  const int descriptor = std::exchange(descriptor_, -1);
  if (file_calls().close(descriptor) != 0 && errno != EINTR) fail(errno);
}

void DurableFile::commit() {
  if (descriptor_ < 0) throw std::logic_error(path_.string() + " was already finished");
  flush();
  if (target_.streamed) {
    close();
    committed_ = true;
    return;
  }
  if (sync_ == Sync::yes && file_calls().fsync(descriptor_) != 0 && errno != EINVAL) fail(errno);
  if (temporary_.empty()) name_it();
  close();
  if (file_calls().rename(temporary_.c_str(), target_.path.c_str()) != 0) fail(errno);
  unregister_temporary(temporary_.c_str());
  temporary_.clear();
  committed_ = true;
  if (sync_ == Sync::no) return;
  if (const int why = sync_folder(target_.path.parent_path()); why != 0) cannot_write(path_, why);
}

void DurableFile::fail(int why) {
  give_up();
  cannot_write(path_, why);
}

void DurableFile::give_up() noexcept {
  if (descriptor_ >= 0) file_calls().close(std::exchange(descriptor_, -1));
  if (temporary_.empty()) return;
  unregister_temporary(temporary_.c_str());
  if (maker_ == getpid()) unlink(temporary_.c_str());
  temporary_.clear();
}

void write_durably(const fs::path& path, std::string_view text) {
  DurableFile file(path);
  file.write(text);
  file.commit();
}

void remove_temporaries() noexcept {
  for (const auto& slot : temporaries)
    if (const char* name = slot.load()) unlink(name);
}

void remove_temporaries_at_signals() {
  struct sigaction action {};
  action.sa_flags =
      static_cast<int>(SA_RESETHAND);  // the signal raised by the handler ends the process after it returns
  action.sa_handler = [](int signal) {
    remove_temporaries();
    raise(signal);
  };
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_DFL) sigaction(signal, &action, nullptr);
  }
  struct sigaction nothing {};
  nothing.sa_handler = [](int) {};  // not SIG_IGN, which started programs would inherit
  sigaction(SIGXFSZ, &nothing, nullptr);
}

}  // namespace sassim
