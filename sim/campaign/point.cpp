// SPDX-License-Identifier: Apache-2.0
// Hashes all that a simulation's result depends on into a key, by which later runs find the result.
#include "sim/campaign/point.h"

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

#include "sim/base/input_file.h"
#include "sim/base/version.h"
#include "sim/config/dump.h"

namespace sassim::campaign {

namespace {

std::string hash_of(std::string_view text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace

std::string point_key(const Point& point, std::string_view program) {
  // Each part is preceded by its length, so that different parts never give the same text.
  std::string text;
  const std::string config = config::config_hash(*point.config);
  for (const std::string_view part :
       {std::string_view(point.kind), std::string_view(config), std::string_view(point.content), program})
    text += fmt::format("{}:{}\n", part.size(), part);
  return hash_of(text);
}

const std::string& program_identity() {
  static const std::string identity = [] {
    return fmt::format("{} {}", kVersion, hash_of(read_input_file("/proc/self/exe", {"the command", kAnySize})));
  }();
  return identity;
}

}  // namespace sassim::campaign
