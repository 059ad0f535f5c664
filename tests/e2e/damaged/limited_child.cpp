// SPDX-License-Identifier: Apache-2.0
#include "tests/e2e/damaged/limited_child.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <new>
#include <stdexcept>

namespace sassim::test {

namespace {

/// What the child tells: where it is, and what it caught.
struct Shared {
  std::uint64_t step;
  char why[1000];
};

void limit_memory(std::uint64_t more) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // their shadow takes terabytes of address space
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t most = pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) + more;
  const rlimit limit{most, most};
  ::setrlimit(RLIMIT_AS, &limit);
#else
  static_cast<void>(more);
#endif
}

void start_clocks(const ChildLimits& limits) {
  const itimerval once{{0, 0}, {static_cast<time_t>(limits.cpu_seconds), 0}};
  ::setitimer(ITIMER_PROF, &once, nullptr);
  ::alarm(limits.wall_seconds);
}

void explain(Shared& shared, const std::string& text) {
  std::snprintf(shared.why, sizeof shared.why, "%s", text.c_str());
}

[[noreturn]] void be_child(Shared& shared, std::uint64_t count, const ChildLimits& limits,
                           const std::function<void(std::uint64_t)>& step) {
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::signal(SIGPROF, SIG_DFL);
  ::signal(SIGALRM, SIG_DFL);
  limit_memory(limits.memory);
  try {
    for (shared.step = 0; shared.step < count; ++shared.step) {
      start_clocks(limits);
      step(shared.step);
    }
    ::_exit(0);
  } catch (const std::bad_alloc&) {
    explain(shared, fmt::format("it wanted more than {} MiB of memory", limits.memory >> 20));
  } catch (const std::exception& error) {
    explain(shared, error.what());
  }
  ::_exit(1);
}

std::string reason(int status, const Shared& shared) {
  if (shared.why[0] != '\0') return shared.why;
  if (WIFEXITED(status)) return WEXITSTATUS(status) == 0 ? "" : fmt::format("it ended with {}", WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
  if (signal == SIGPROF || signal == SIGALRM) return "it takes too long";
  return fmt::format("it was killed by signal {} ({})", signal, ::strsignal(signal));
}

}  // namespace

ChildEnd run_limited(std::uint64_t count, const ChildLimits& limits, const std::function<void(std::uint64_t)>& step) {
  void* memory = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::runtime_error("no memory to share");
  auto& shared = *new (memory) Shared{};
  const pid_t child = ::fork();
  if (child == 0) be_child(shared, count, limits, step);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  const ChildEnd end{shared.step, reason(status, shared)};
  ::munmap(memory, sizeof(Shared));
  return end;
}

}  // namespace sassim::test
