// SPDX-License-Identifier: Apache-2.0
// The folder through which `sassim exec` and the program exchange data.
#pragma once

#include <filesystem>

namespace sassim::session {

/// The folder and its contents are removed at the end of the run; a folder that a killed run left is removed at the
/// start of the next run. This process and its forks hold the lock in the folder; programs that they start do not.
class SessionFolder {
 public:
  SessionFolder();
  ~SessionFolder();
  SessionFolder(const SessionFolder&) = delete;
  SessionFolder& operator=(const SessionFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int lock_ = -1;
};

/// Removes session folders of this user that no process holds.
void remove_abandoned_sessions();

}  // namespace sassim::session
