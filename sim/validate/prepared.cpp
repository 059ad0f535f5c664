// SPDX-License-Identifier: Apache-2.0
// Checks and unpacks the archives of compiled microbenchmarks for `sassim validate`.
#include "sim/validate/prepared.h"

#define XXH_INLINE_ALL
#include <unistd.h>
#include <xxhash.h>

#include <cstdlib>
#include <filesystem>

#include "sim/base/child_process.h"
#include "sim/base/error.h"
#include "sim/base/input_file.h"

namespace sassim::validate {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) { return read_whole_file(path).value_or(""); }

/// The user's cache folder, for files that can be made again.
fs::path cache_folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache && *cache) return fs::path(cache) / "sassim";
  const char* home = std::getenv("HOME");
  if (home && *home) return fs::path(home) / ".cache/sassim";
  return fs::temp_directory_path() / fmt::format("sassim-{}", ::getuid());
}

/// A folder for this process, removed with its contents at the end.
class Workspace {
 public:
  explicit Workspace(const fs::path& beside) : path_(beside.string() + fmt::format(".{}", ::getpid())) {
    std::error_code error;
    fs::create_directories(path_, error);
    if (error)
      throw InputError("{}: the folder cannot be made: {}; set XDG_CACHE_HOME to another folder", path_.string(),
                       error.message());
  }
  ~Workspace() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  /// Runs a program; if it fails, its output becomes the error.
  void run(std::vector<std::string> command, const std::string& what) const {
    const fs::path log = path_ / "log";
    if (ChildProcess(std::move(command), log.string()).wait().status != 0) throw InputError("{}{}", what, read(log));
  }
  fs::path operator/(const char* name) const { return path_ / name; }

 private:
  fs::path path_;
};

/// In a source tree, checks that the archives match the current microbenchmarks. An installation has no sources: there
/// it checks only that the archives are complete.
void check(const fs::path& data, const Workspace& work) {
  if (fs::exists(data / "programs/micro"))
    work.run({(data / "build").string(), "--check"}, "");
  else
    work.run(
        {"sh", "-c", "cd \"$1\" && sha256sum --check --quiet prepared/MANIFEST", "sh", (data / "programs").string()},
        (data / "programs/prepared").string() + ": damaged: ");
}

}  // namespace

Prepared unpack_prepared(const std::string& data) {
  const fs::path from = fs::path(data) / "programs/prepared", manifest = from / "MANIFEST";
  if (!fs::exists(manifest)) {
    throw InputError("{}: no prepared programs: make them with validation/build --prepare (needs CUDA 11.8)",
                     manifest.string());
  }
  const std::string version = read(manifest);
  const fs::path to = cache_folder() / fmt::format("prepared-{:016x}", XXH3_64bits(version.data(), version.size()));
  const Workspace work(to);
  check(data, work);
  if (!fs::exists(to)) {
    const fs::path whole = work / "whole";
    fs::create_directory(whole);
    for (const char* archive : {"programs.tar.xz", "listings.tar.xz"})
      work.run({"tar", "-xJf", (from / archive).string(), "-C", whole.string()},
               (from / archive).string() + ": cannot be unpacked: ");
    std::error_code faster;  // another process may have made the folder first
    fs::rename(whole, to, faster);
    if (!fs::exists(to)) throw InputError("{}: cannot be made: {}", to.string(), faster.message());
  }
  return {(to / "programs").string(), (to / "listings").string()};
}

}  // namespace sassim::validate
