// SPDX-License-Identifier: Apache-2.0
// A bundle: one file with a result and everything that the result depends on. The format is defined in
// docs/reproduce.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "sim/base/version.h"
#include "sim/bundle/archive.h"

namespace sassim::bundle {

struct Trace {
  std::string name;                          ///< the trace's name in results
  std::vector<std::filesystem::path> files;  ///< one .sast file, or the .traceg files of an Accel-Sim trace
};

/// Everything that the result of a replay depends on, except the program.
struct Recipe {
  std::string config;  ///< YAML with every key and without references to other files
  std::string caches = "cold";
  bool allow_arch_mismatch = false;
  std::uint64_t no_progress_cycles = 0, max_cycles = 0;
  std::vector<Trace> traces;
};

/// A trace by the name that run() takes, with the files that it is read from. Throws InputError.
Trace find_trace(const std::string& name);

/// Hashes the traces at construction, so that a change of a trace during the simulation is detected.
class BundleWriter {
 public:
  explicit BundleWriter(Recipe recipe);
  const Recipe& recipe() const { return recipe_; }
  /// `result`: the file that replay() wrote. Throws InputError.
  void write(const std::filesystem::path& path, const std::filesystem::path& result,
             const std::string& version = kVersion) const;

 private:
  Recipe recipe_;
  std::vector<Part> traces_;
};

/// An unpacked bundle.
struct Bundle {
  std::string version;  ///< version of the sassim that made it
  Recipe recipe;
  std::filesystem::path result;  ///< JSON
};

/// Unpacks into an empty folder and checks everything. Writes no file outside of the folder, and at most 1024 times the
/// bundle's size. Throws InputError that names the place.
Bundle unpack(const std::filesystem::path& path, const std::filesystem::path& folder);

}  // namespace sassim::bundle
