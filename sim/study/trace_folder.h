// SPDX-License-Identifier: Apache-2.0
// Where --save-traces puts the traces of one run, so that no run overwrites another's.
#pragma once

#include <filesystem>

namespace sassim::study {

/// The first run into a folder has the folder itself; one that finds traces there, or another run at work, has a
/// subfolder run-2, run-3, ... of it. A file in the run's folder belongs to this run alone.
class TraceFolder {
 public:
  /// Makes the folder if it is not there. Throws InputError.
  explicit TraceFolder(const std::filesystem::path& asked);
  ~TraceFolder();
  TraceFolder(const TraceFolder&) = delete;
  TraceFolder& operator=(const TraceFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// The folder that was asked for had traces of an earlier run.
  bool is_subfolder() const { return subfolder_; }

 private:
  std::filesystem::path path_;
  bool subfolder_ = false;
  int lock_ = -1;  ///< of the folder that was asked for; held while the run has it
};

/// Removes the traces that killed processes were writing.
void remove_unfinished_traces(const std::filesystem::path& folder);

}  // namespace sassim::study
