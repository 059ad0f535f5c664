// SPDX-License-Identifier: Apache-2.0
// Keeps cubins that ptxas has made in the user's cache folder, so that later runs need not compile again.
#include "sim/isa/ptx_cache.h"

#include <elf.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <xxhash.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "sim/base/durable_file.h"
#include "sim/base/error.h"
#include "sim/base/input_file.h"

namespace sassim::isa {
namespace {

/// The file ends with a hash of the cubin before it.
using Seal = std::uint64_t;

std::string set_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// By the XDG Base Directory Specification; empty if the user has none.
std::string folder() {
  if (std::getenv("SASSIM_PTX_CACHE") != nullptr) return set_variable("SASSIM_PTX_CACHE");
  if (const std::string caches = set_variable("XDG_CACHE_HOME"); caches.starts_with('/')) return caches + "/sassim/ptx";
  const std::string home = set_variable("HOME");
  return home.starts_with('/') ? home + "/.cache/sassim/ptx" : "";
}

}  // namespace

KeptCubin::KeptCubin(std::string_view text, int sm, const std::string& compiler) {
  const std::string place = folder();
  struct stat file {};
  if (place.empty() || ::stat(compiler.c_str(), &file) != 0) return;
  const std::string which =
      fmt::format("{} {} {}.{} sm_{}", compiler, file.st_size, file.st_mtim.tv_sec, file.st_mtim.tv_nsec, sm);
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  path_ = fmt::format("{}/{:016x}{:016x}-{:016x}.cubin", place, hash.high64, hash.low64,
                      XXH3_64bits(which.data(), which.size()));
}

std::optional<std::vector<std::uint8_t>> KeptCubin::read() const {
  const std::optional<std::string> content = path_.empty() ? std::nullopt : read_whole_file(path_);
  if (!content || content->size() <= sizeof(Seal) || !content->starts_with(ELFMAG)) return std::nullopt;
  const std::size_t bytes = content->size() - sizeof(Seal);
  Seal seal;
  std::memcpy(&seal, content->data() + bytes, sizeof seal);
  if (seal != XXH3_64bits(content->data(), bytes)) return std::nullopt;
  return std::vector<std::uint8_t>(content->begin(), content->begin() + static_cast<std::ptrdiff_t>(bytes));
}

void KeptCubin::keep(std::span<const std::uint8_t> cubin) const try {
  if (path_.empty()) return;
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(path_).parent_path(), ignored);
  const Seal seal = XXH3_64bits(cubin.data(), cubin.size());
  std::string content(reinterpret_cast<const char*>(cubin.data()), cubin.size());
  content.append(reinterpret_cast<const char*>(&seal), sizeof seal);
  write_durably(path_, content);
} catch (const InputError&) {
}

}  // namespace sassim::isa
