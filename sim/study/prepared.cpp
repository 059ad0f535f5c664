// SPDX-License-Identifier: Apache-2.0
#include "sim/study/prepared.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "sim/base/error.h"
#include "sim/study/child_process.h"

namespace sassim::study {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

int run(std::vector<std::string> command, const fs::path& log) {
  return ChildProcess(std::move(command), log.string()).wait().status;
}

}  // namespace

Prepared unpack_prepared(const std::string& data, const std::string& folder) {
  const fs::path from = fs::path(data) / "prepared", to = folder;
  const fs::path manifest = from / "MANIFEST";
  if (!fs::exists(manifest)) {
    throw InputError("{}: no prepared programs: make them with validation/build --prepare (needs CUDA 11.8)",
                     manifest.string());
  }
  fs::create_directories(to);
  const fs::path log = to / "log";
  if (run({(fs::path(data) / "build").string(), "--check"}, log) != 0) throw InputError("{}", read(log));
  const Prepared out{(to / "programs").string(), (to / "listings").string()};
  if (read(to / "MANIFEST") == read(manifest)) return out;
  for (const char* name : {"programs", "listings"}) {
    fs::remove_all(to / name);
    const fs::path archive = from / (std::string(name) + ".tar.xz");
    if (run({"tar", "-xJf", archive.string(), "-C", to.string()}, log) != 0)
      throw InputError("{}: cannot be unpacked: {}", archive.string(), read(log));
  }
  fs::copy_file(manifest, to / "MANIFEST", fs::copy_options::overwrite_existing);
  return out;
}

}  // namespace sassim::study
