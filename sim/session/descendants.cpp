// SPDX-License-Identifier: Apache-2.0
// Finds the processes below this one in /proc, and kills them, for `sassim exec` and its guard.
#include "sim/session/descendants.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <map>
#include <string>

#include "sim/base/input_file.h"

namespace sassim::session {

namespace fs = std::filesystem;

namespace {

struct Status {
  pid_t parent = 0;
  char state = 0;
};

/// From /proc/PID/stat: "PID (NAME) STATE PARENT ..."; the name may have any characters.
Status status_of(const fs::path& folder) {
  const std::string text = read_whole_file(folder / "stat").value_or("");
  const std::size_t name_end = text.rfind(')');
  Status status;
  if (name_end == std::string::npos || name_end + 4 >= text.size()) return status;
  status.state = text[name_end + 2];
  std::from_chars(text.data() + name_end + 4, text.data() + text.size(), status.parent);
  return status;
}

std::multimap<pid_t, pid_t> children_of_all() {
  std::multimap<pid_t, pid_t> children;
  std::error_code error;
  for (fs::directory_iterator at("/proc", error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    pid_t id = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), id).ptr != name.data() + name.size()) continue;
    const Status status = status_of(at->path());
    if (status.state != 0 && status.state != 'Z' && status.state != 'X') children.emplace(status.parent, id);
  }
  return children;
}

}  // namespace

std::vector<pid_t> descendants() {
  const auto children = children_of_all();
  std::vector<pid_t> found, open = {getpid()};
  while (!open.empty()) {
    const pid_t parent = open.back();
    open.pop_back();
    const auto [first, last] = children.equal_range(parent);
    for (auto at = first; at != last; ++at) {
      found.push_back(at->second);
      open.push_back(at->second);
    }
  }
  return found;
}

std::size_t signal_descendants(int signal) {
  const std::vector<pid_t> all = descendants();
  for (const pid_t id : all) kill(id, signal);
  return all.size();
}

void kill_descendants() {
  // A process that is killed during a fork may leave a new child: look again.
  constexpr timespec kPause{0, 1'000'000};
  while (signal_descendants(SIGKILL) != 0) {
    while (waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    nanosleep(&kPause, nullptr);
  }
  while (waitpid(-1, nullptr, WNOHANG) > 0) {
  }
}

}  // namespace sassim::session
