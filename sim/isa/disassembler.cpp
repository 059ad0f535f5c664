// SPDX-License-Identifier: Apache-2.0
#include "sim/isa/disassembler.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/base/durable_file.h"
#include "sim/base/error.h"

extern char** environ;

namespace sassim::isa {
namespace {

/// A file that is gone when the object is.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::span<const std::uint8_t> bytes) {
    const char* folder = std::getenv("TMPDIR");
    path_ = fmt::format("{}/sassim-XXXXXX", folder != nullptr && *folder != '\0' ? folder : "/tmp");
    const int descriptor = mkstemp(path_.data());
    if (descriptor < 0) throw InputError("{}: cannot make a temporary file: {}", path_, std::strerror(errno));
    for (std::size_t done = 0; done < bytes.size();) {
      const ssize_t count = ::write(descriptor, bytes.data() + done, bytes.size() - done);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) {
        const int reason = errno;
        ::close(descriptor);
        ::unlink(path_.c_str());
        throw InputError("{}: cannot write: {}", path_, std::strerror(reason));
      }
      done += static_cast<std::size_t>(count);
    }
    ::close(descriptor);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { ::unlink(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string read_all(int descriptor) {
  std::string text;
  char buffer[1 << 16];
  for (;;) {
    const ssize_t count = ::read(descriptor, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(count));
  }
}

/// Standard output and error together, and whether the program ended well.
std::pair<std::string, bool> run(std::vector<std::string> arguments) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw InputError("cannot make a pipe: {}", std::strerror(errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  pid_t child = 0;
  const int error = ::posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (error != 0) {
    ::close(ends[0]);
    throw InputError("{}: cannot run it: {}", arguments[0], std::strerror(error));
  }
  std::string output = read_all(ends[0]);
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return {std::move(output), WIFEXITED(status) && WEXITSTATUS(status) == 0};
}

/// A listing kept in the folder that SASSIM_LISTINGS names, under the hash of its cubin; empty when there is none.
std::string kept_listing(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// It only saves time: where it cannot be kept, it is made again.
void keep_listing(const std::string& path, const std::string& text) try {
  write_durably(path, text);
} catch (const InputError&) {
}

std::string listing_path(const XXH128_hash_t& hash) {
  const char* folder = std::getenv("SASSIM_LISTINGS");
  if (folder == nullptr || *folder == '\0') return "";
  return fmt::format("{}/{:016x}{:016x}.sass", folder, hash.high64, hash.low64);
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

std::string find_nvdisasm() {
  if (const char* chosen = std::getenv("SASSIM_NVDISASM"); chosen != nullptr && *chosen != '\0') {
    if (::access(chosen, X_OK) == 0) return chosen;
    throw NotSupported("SASSIM_NVDISASM names '{}', which is not a program that can be run", chosen);
  }
  const std::string debian = "/usr/bin/nvdisasm";
  if (::access(debian.c_str(), X_OK) == 0) return debian;
  throw NotSupported(
      "decoding a cubin needs nvdisasm of CUDA 11.8, and there is no {}: install it with tools/bootstrap --with-cuda, "
      "or "
      "name another in SASSIM_NVDISASM",
      debian);
}

std::shared_ptr<const Disassembly> disassemble(std::span<const std::uint8_t> cubin, std::string_view name) {
  using Key = std::pair<std::uint64_t, std::uint64_t>;
  static std::mutex mutex;
  static std::map<Key, std::shared_ptr<const Disassembly>> known;
  const XXH128_hash_t hash = XXH3_128bits(cubin.data(), cubin.size());
  const Key key{hash.high64, hash.low64};
  const std::lock_guard lock(mutex);
  if (const auto found = known.find(key); found != known.end()) return found->second;
  const std::string kept = listing_path(hash);
  std::string text = kept.empty() ? "" : kept_listing(kept);
  if (text.empty()) {
    const TemporaryFile file(cubin);
    bool ok = false;
    std::tie(text, ok) = run({find_nvdisasm(), "-hex", "-ndf", file.path()});
    if (!ok) throw InputError("{}: nvdisasm refused it: {}", name, first_line(text));
    if (!kept.empty()) keep_listing(kept, text);
  }
  auto result = std::make_shared<const Disassembly>(parse_disassembly(text, fmt::format("{} (disassembled)", name)));
  known.emplace(key, result);
  return result;
}

}  // namespace sassim::isa
