// SPDX-License-Identifier: Apache-2.0
// Reads input files, .xz ones too, and standard input; refuses what is larger than the limit of its kind.
#include "sim/base/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "sim/base/error.h"
#include "sim/base/xz.h"

namespace sassim {

namespace fs = std::filesystem;

namespace {

constexpr InputKind kOwnFile{"a file", kAnySize};

struct Descriptor {
  int number;
  ~Descriptor() {
    if (number > STDERR_FILENO) ::close(number);
  }
};

/// How reading ended: 0, the system's reason, or EFBIG with what is too large.
struct Read {
  int error = 0;
  std::uint64_t most = kAnySize;  ///< the limit that was exceeded
  bool sized = false;
  std::string text;
};

std::string size_text(std::uint64_t bytes) {
  constexpr std::uint64_t kMebi = 1u << 20;
  return bytes % kMebi == 0 ? fmt::format("{} MiB", bytes / kMebi) : fmt::format("{} bytes", bytes);
}

Read read_all(int descriptor, const InputKind& kind) {
  constexpr std::size_t kPart = 1 << 16, kMuch = 1 << 20;
  Read done;
  struct stat status {};
  if (descriptor < 0 || ::fstat(descriptor, &status) != 0) return {errno, kAnySize, false, {}};
  done.sized = S_ISREG(status.st_mode) && status.st_size > 0;  // files of /proc have size 0
  const auto size = done.sized ? static_cast<std::uint64_t>(status.st_size) : kMostUnsized + 1;
  done.most = std::min(kind.most, done.sized ? kAnySize : kMostUnsized);
  if (done.sized && size > done.most) return {EFBIG, done.most, true, {}};
  if (done.sized && size > done.text.max_size()) throw std::bad_alloc();
  if (done.sized) done.text.reserve(size);  // too much for this machine: fails here, before anything is read
  while (done.text.size() < size) {
    const std::size_t before = done.text.size();
    if (before > kMuch) done.text.reserve(std::min(size, done.most + 1));  // once, instead of a copy at each doubling
    done.text.resize(before + std::min<std::uint64_t>(kPart, size - before));
    const ssize_t count = ::read(descriptor, done.text.data() + before, done.text.size() - before);
    const int reason = errno;
    done.text.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (count < 0 && reason == EINTR) continue;
    if (count < 0) return {reason, done.most, done.sized, {}};
    if (count == 0) break;
    if (done.text.size() > done.most) return {EFBIG, done.most, done.sized, {}};
  }
  return done;
}

std::string checked(Read read, const std::string& name, const InputKind& kind) {
  if (read.error == 0) return std::move(read.text);
  if (read.error != EFBIG) throw InputError("{}: cannot be read: {}", name, std::strerror(read.error));
  if (read.most == kind.most)
    throw InputError("{}: larger than {}, the limit for {}; name another file", name, size_text(read.most), kind.name);
  throw InputError(
      "{}: no end after {}, the limit for {} from a pipe or a device; write it to a regular file and name that", name,
      size_text(read.most), kind.name);
}

}  // namespace

std::string read_input_file(const fs::path& path, const InputKind& kind, const std::string& shown) {
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY)};
  const std::string name = shown.empty() ? path.string() : shown;
  std::string text = checked(read_all(file.number, kind), name, kind);
  return path.extension() == ".xz" ? unpack_xz(text, kind.most, name) : text;
}

std::string read_standard_input(const InputKind& kind) {
  return checked(read_all(STDIN_FILENO, kind), "<stdin>", kind);
}

std::optional<std::string> read_whole_file(const fs::path& path) {
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY)};
  Read read = read_all(file.number, kOwnFile);
  if (read.error != 0) return std::nullopt;
  return std::move(read.text);
}

}  // namespace sassim
