// SPDX-License-Identifier: Apache-2.0
// The folder for the traces of one run with --save-traces, so that no run overwrites another's traces.
#pragma once

#include <filesystem>

namespace sassim::session {

/// The first run gets the given folder. If it has traces already, or another run uses it, the run gets a subfolder
/// run-2, run-3 and so on. All files in a run's folder are of this run.
class TraceFolder {
 public:
  /// Makes the folder if it is missing. Throws InputError.
  explicit TraceFolder(const std::filesystem::path& asked);
  ~TraceFolder();
  TraceFolder(const TraceFolder&) = delete;
  TraceFolder& operator=(const TraceFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// The given folder already had traces or another run.
  bool is_subfolder() const { return subfolder_; }

 private:
  std::filesystem::path path_;
  bool subfolder_ = false;
  int lock_ = -1;  ///< of the given folder; held during the run
};

/// Removes incomplete traces of killed processes.
void remove_unfinished_traces(const std::filesystem::path& folder);

}  // namespace sassim::session
