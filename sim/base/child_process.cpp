// SPDX-License-Identifier: Apache-2.0
// Starts, watches and ends other processes: points of a campaign, Slurm's commands, tools, jobs of a run.
#include "sim/base/child_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <utility>

#include "sim/base/error.h"

extern char** environ;

namespace sassim {

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Attributes and file actions of one start.
class SpawnSetup {
 public:
  explicit SpawnSetup(const std::string& log) {
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_init(&actions);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  }
  ~SpawnSetup() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;

  posix_spawnattr_t attributes;
  posix_spawn_file_actions_t actions;
};

}  // namespace

ChildProcess::ChildProcess(std::vector<std::string> command, const std::string& log) : began_(now()) {
  std::vector<char*> words;
  for (std::string& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  const SpawnSetup setup(log);
  const int error =
      posix_spawnp(&id_, command.front().c_str(), &setup.actions, &setup.attributes, words.data(), environ);
  if (error == 0) return;
  id_ = -1;
  throw InputError("{}: cannot be started (its output would go to {}): {}", command.front(), log, std::strerror(error));
}

ChildProcess::ChildProcess() : began_(now()) {}

ChildProcess ChildProcess::copy(const std::function<void()>& work) {
  const pid_t parent = getpid();
  ChildProcess child;
  child.id_ = fork();
  if (child.id_ < 0) throw InputError("a process cannot be started: {}", std::strerror(errno));
  if (child.id_ != 0) return child;
  die_with_parent(parent);
  try {
    work();
  } catch (...) {
    _exit(1);
  }
  _exit(0);
}

ChildProcess::~ChildProcess() {
  if (id_ < 0) return;
  signal(SIGKILL);
  reap(0);
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept : id_(std::exchange(other.id_, -1)), began_(other.began_) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  std::swap(id_, other.id_);
  std::swap(began_, other.began_);
  return *this;
}

std::optional<ProcessEnd> ChildProcess::reap(int options) {
  int status = 0;
  rusage usage{};
  pid_t got = 0;
  while ((got = wait4(id_, &status, options, &usage)) < 0 && errno == EINTR) {
  }
  if (got == 0) return std::nullopt;
  id_ = -1;
  ProcessEnd end;
  end.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  end.peak_memory = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  end.seconds = now() - began_;
  return end;
}

std::optional<ProcessEnd> ChildProcess::poll() { return reap(WNOHANG); }

ProcessEnd ChildProcess::wait() { return *reap(0); }

void ChildProcess::signal(int signal_number) const {
  if (id_ > 0) kill(id_, signal_number);
}

void die_with_parent(int parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
}

std::string this_program() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

}  // namespace sassim
