// SPDX-License-Identifier: Apache-2.0
// The folder through which a program under `sassim exec` and the command speak.
#pragma once

#include <filesystem>

namespace sassim::study {

/// Removed with everything in it when the run is over; what a killed run left is removed when the next one begins. The
/// lock in it is held by this process and those that it forks, but by no program that they start.
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

/// Removes a folder of a session of this user that no process holds.
void remove_abandoned_sessions();

}  // namespace sassim::study
