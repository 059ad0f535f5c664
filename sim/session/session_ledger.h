// SPDX-License-Identifier: Apache-2.0
// Memory that `sassim exec` shares with the processes of the program: what the command must learn even if a process
// can no longer reach the session's folder, because it has changed its root folder or its user, removed the folder, or
// has no descriptor left.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace sassim::session {

/// Safe to use from several processes and threads at the same time. It is mapped memory of a file in the session's
/// folder: no descriptor stays open, and a process that forks shares it with its child.
class SessionLedger {
 public:
  /// For the command: makes it. nullptr if the disk or a limit does not allow it; then processes must reach the folder.
  static std::unique_ptr<SessionLedger> create(const std::filesystem::path& folder);
  /// For a process of the program. nullptr if there is none.
  static std::unique_ptr<SessionLedger> open(const std::filesystem::path& folder);
  ~SessionLedger();
  SessionLedger(const SessionLedger&) = delete;
  SessionLedger& operator=(const SessionLedger&) = delete;

  /// A launch has begun.
  void launched();
  std::uint64_t launches() const;

  /// Keeps a line of a process's log that its file cannot get. False: there is no room left.
  bool keep(std::string_view process, std::string_view line);
  /// Calls `visit` with the kept lines, in their order.
  void for_each_line(const std::function<void(std::string_view process, std::string_view line)>& visit) const;

  /// Why a process could not record what it did; the first reason stays.
  void failed(std::string_view why);
  std::string failure() const;
  /// The simulation has ended a process, with this exit status.
  void ended(int status);
  std::optional<int> ended() const;

 private:
  struct Header;
  SessionLedger(void* at, std::size_t bytes);
  static std::unique_ptr<SessionLedger> map(int descriptor, std::size_t bytes);
  Header& header() const;
  std::size_t room() const;
  char* lines() const;

  void* at_;
  std::size_t bytes_;
};

}  // namespace sassim::session
