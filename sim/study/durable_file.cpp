// SPDX-License-Identifier: Apache-2.0
#include "sim/study/durable_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "sim/base/error.h"

namespace sassim::study {

namespace fs = std::filesystem;

namespace {

void sync_folder(const fs::path& folder) {
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  fsync(descriptor);
  close(descriptor);
}

}  // namespace

bool write_fully(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

void write_durably(const fs::path& path, std::string_view text) {
  // The host's name too: several machines may share the folder.
  char host[256] = "host";
  gethostname(host, sizeof host - 1);
  const std::string temporary = fmt::format("{}.{}.{}.tmp", path.string(), host, getpid());
  const int descriptor = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  bool good = descriptor >= 0 && write_fully(descriptor, text) && fsync(descriptor) == 0;
  if (descriptor >= 0) good = close(descriptor) == 0 && good;
  good = good && rename(temporary.c_str(), path.c_str()) == 0;
  const int why = errno;
  if (!good) {
    unlink(temporary.c_str());
    throw InputError("{}: cannot be written: {}", path.string(), std::strerror(why));
  }
  sync_folder(path.parent_path());
}

std::optional<std::string> read_whole_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

}  // namespace sassim::study
