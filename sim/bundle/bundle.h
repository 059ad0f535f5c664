// SPDX-License-Identifier: Apache-2.0
// A result and everything that it depends on, in one file. docs/reproduce.md is the contract.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "sim/base/version.h"
#include "sim/bundle/archive.h"

namespace sassim::bundle {

struct Trace {
  std::string name;                          ///< what results call it
  std::vector<std::filesystem::path> files;  ///< one .sast file, or the .traceg files of an Accel-Sim trace
};

/// What the result of a replay depends on, besides the program.
struct Recipe {
  std::string config;  ///< YAML with every key, which builds on no other file
  std::string caches = "cold";
  bool allow_arch_mismatch = false;
  std::uint64_t no_progress_cycles = 0, max_cycles = 0;
  std::vector<Trace> traces;
};

/// A trace as run() names it, with the files that it is read from. Throws InputError.
Trace find_trace(const std::string& name);

/// Hashes the traces when it is made, so that one that changes while it is simulated is noticed.
class BundleWriter {
 public:
  explicit BundleWriter(Recipe recipe);
  const Recipe& recipe() const { return recipe_; }
  /// `result`: the file that replay() has written. Throws InputError.
  void write(const std::filesystem::path& path, const std::filesystem::path& result,
             const std::string& version = kVersion) const;

 private:
  Recipe recipe_;
  std::vector<Part> traces_;
};

/// A bundle that was unpacked.
struct Bundle {
  std::string version;  ///< of the sassim that has made it
  Recipe recipe;
  std::filesystem::path result;  ///< JSON
};

/// Unpacks into an empty folder, everything checked. No file is written outside of it, and no more than 1024 times the
/// bytes of the bundle. Throws InputError that names the place.
Bundle unpack(const std::filesystem::path& path, const std::filesystem::path& folder);

}  // namespace sassim::bundle
