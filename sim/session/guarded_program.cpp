// SPDX-License-Identifier: Apache-2.0
// Starts the guard process from `sassim exec`, awaits its report, stops the program at Ctrl-C.
#include "sim/session/guarded_program.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <optional>

#include "sim/base/error.h"
#include "sim/session/descendants.h"
#include "sim/session/guard.h"

namespace sassim::session {

namespace {

constexpr double kGraceSeconds = 5;  ///< from the request to stop until the kill
constexpr double kLongSeconds = 3600;

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> out;
  for (std::string& string : strings) out.push_back(string.data());
  out.push_back(nullptr);
  return out;
}

void close_if_open(int& descriptor) {
  if (descriptor >= 0) close(descriptor);
  descriptor = -1;
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

GuardedProgram::GuardedProgram(Start start, const StopSignals& signals, const std::function<void()>& abandoned)
    : name_(start.file) {
  int orders[2], report[2];
  if (pipe2(orders, O_CLOEXEC) != 0) throw InputError("{}: cannot be started: {}", name_, std::strerror(errno));
  if (pipe2(report, O_CLOEXEC) != 0) {
    const int why = errno;
    close(orders[0]);
    close(orders[1]);
    throw InputError("{}: cannot be started: {}", name_, std::strerror(why));
  }
  const std::vector<char*> argv = pointers(start.arguments), envp = pointers(start.environment);
  const pid_t group = getpgrp();
  prctl(PR_SET_CHILD_SUBREAPER, 1);  // adopts the guard's descendants if the guard is killed
  std::fflush(nullptr);              // buffered output must not be printed twice
  guard_ = fork();
  if (guard_ == 0) {
    close(orders[1]);
    close(report[0]);
    run_guard({.file = start.file.c_str(),
               .argv = argv.data(),
               .envp = envp.data(),
               .mask = signals.before(),
               .group = group,
               .orders = orders[0],
               .report = report[1],
               .abandoned = abandoned});
  }
  const int why = errno;
  close(orders[0]);
  close(report[1]);
  orders_ = orders[1];
  report_ = report[0];
  fcntl(orders_, F_SETFL, O_NONBLOCK);
  if (guard_ > 0) return;
  close_if_open(orders_);
  close_if_open(report_);
  throw InputError("{}: cannot be started: {}", name_, std::strerror(why));
}

GuardedProgram::~GuardedProgram() {
  close_if_open(orders_);  // the guard then kills its descendants
  if (guard_ > 0) waitpid(guard_, nullptr, 0);
  close_if_open(report_);
}

void GuardedProgram::start() const { send(0); }

void GuardedProgram::send(int signal) const {
  const auto order = static_cast<unsigned char>(signal);
  [[maybe_unused]] const ssize_t ignored = write(orders_, &order, 1);  // fails if the guard has ended, which is fine
}

ProgramEnd GuardedProgram::wait(StopSignals& signals, const std::function<void()>& snapshot) {
  std::optional<double> deadline;
  while (waitpid(guard_, nullptr, WNOHANG) == 0) {
    const int stop = signals.wait(deadline ? std::max(0.0, *deadline - now()) : kLongSeconds);
    if (signals.take_snapshot_request() && snapshot) snapshot();
    if (stop != 0 && !deadline) {
      deadline = now() + kGraceSeconds;
      if (!signals.from_terminal()) send(stop);
    } else if (deadline && (stop != 0 || now() >= *deadline)) {
      send(SIGKILL);
      deadline = now() + kLongSeconds;
    }
  }
  guard_ = -1;
  GuardReport report;
  if (read(report_, &report, sizeof report) != sizeof report) {
    kill_descendants();
    throw Error(ExitStatus::internal, fmt::format("{}: its guard process was killed", name_));
  }
  if (report.error != 0) throw InputError("{}: cannot be started: {}", name_, std::strerror(report.error));
  return {.status = WIFEXITED(report.status) ? WEXITSTATUS(report.status) : 0,
          .signal = WIFSIGNALED(report.status) ? WTERMSIG(report.status) : 0,
          .killed = report.killed,
          .peak_memory = report.peak_memory};
}

}  // namespace sassim::session
