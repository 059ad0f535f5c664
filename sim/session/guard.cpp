// SPDX-License-Identifier: Apache-2.0
// Guard process of `sassim exec`: starts the program, passes on signals, kills what it leaves.
#include "sim/session/guard.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

#include "sim/session/descendants.h"

namespace sassim::session {

namespace {

class Guard {
 public:
  explicit Guard(const GuardWork& work) : work_(work), command_(getppid()) {}

  [[noreturn]] void run() {
    settle();
    wait_for_start();
    start();
    while (!ended_) wait();
    let_end();
    kill_descendants();
    report_.peak_memory = peak_memory();
    tell();
    _exit(0);
  }

 private:
  /// Leaves the command's process group, so that signals to it do not reach the guard, and closes the user's pipes.
  void settle() {
    setpgid(0, 0);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    std::signal(SIGPIPE, SIG_IGN);
    sigset_t all;
    sigemptyset(&all);
    for (const int signal : {SIGCHLD, SIGUSR1, SIGINT, SIGTERM, SIGHUP}) sigaddset(&all, signal);
    signals_ = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
  }

  /// The first order says that all is ready for the program.
  void wait_for_start() {
    unsigned char order = 0;
    if (TEMP_FAILURE_RETRY(read(work_.orders, &order, 1)) == 1) return;
    work_.abandoned();
    _exit(1);
  }

  void start() {
    int failure[2];
    if (pipe2(failure, O_CLOEXEC) != 0) give_up(errno);
    const pid_t self = getpid();
    program_ = fork();
    if (program_ < 0) give_up(errno);
    if (program_ == 0) become_program(self, failure[1]);
    close(failure[1]);
    int why = 0;
    if (read(failure[0], &why, sizeof why) == sizeof why) give_up(why);
    close(failure[0]);
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(nothing, STDIN_FILENO);
    dup2(nothing, STDOUT_FILENO);
    dup2(nothing, STDERR_FILENO);
  }

  [[noreturn]] void become_program(pid_t guard, int failure) const {
    setpgid(0, work_.group);
    std::signal(SIGPIPE, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != guard) _exit(1);
    pthread_sigmask(SIG_SETMASK, &work_.mask, nullptr);
    execve(work_.file, work_.argv, work_.envp);
    const int why = errno;
    [[maybe_unused]] const ssize_t ignored = write(failure, &why, sizeof why);
    _exit(127);
  }

  [[noreturn]] void give_up(int why) {
    report_.error = why;
    tell();
    _exit(1);
  }

  void tell() const {
    const GuardReport report = report_;  // GCC 12 with AddressSanitizer takes the member for its first field
    [[maybe_unused]] const ssize_t ignored = write(work_.report, &report, sizeof report);
  }

  void wait(int milliseconds = -1) {
    pollfd watched[2] = {{work_.orders, POLLIN, 0}, {signals_, POLLIN, 0}};
    if (poll(watched, 2, milliseconds) < 0) return;
    if (watched[0].revents != 0) obey();
    if (watched[1].revents == 0) return;
    signalfd_siginfo got;
    while (read(signals_, &got, sizeof got) > 0)
      if (got.ssi_signo != SIGCHLD) pass_on(static_cast<int>(got.ssi_signo));
    reap();
  }

  /// The guard has the command's name, and is the newer of the two: what a user sends to it is meant for the command.
  void pass_on(int signal) const {
    if (getppid() == command_) kill(command_, signal);
  }

  void obey() {
    unsigned char signal = 0;
    const ssize_t got = read(work_.orders, &signal, 1);
    if (got < 0) return;
    if (got == 0) {
      kill_descendants();
      work_.abandoned();
      _exit(1);
    }
    if (signal == SIGKILL) killing_ = true;
    signal_descendants(signal);
  }

  void reap() {
    int status = 0;
    for (pid_t id; (id = waitpid(-1, &status, WNOHANG)) > 0;) {
      if (id != program_) continue;
      report_.status = status;
      ended_ = true;
    }
  }

  /// Waits a little for processes that the program left behind, such as the last one of a pipeline.
  void let_end() {
    constexpr int kTurns = 200, kMilliseconds = 10;
    for (int turn = 0; turn < kTurns && !killing_; ++turn) {
      if (descendants().empty()) return;
      wait(kMilliseconds);
    }
    if (!killing_) report_.killed = descendants().size();
  }

  static std::uint64_t peak_memory() {
    rusage usage{};
    getrusage(RUSAGE_CHILDREN, &usage);
    return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  }

  const GuardWork& work_;
  pid_t command_;  ///< the process of `sassim exec`
  GuardReport report_;
  pid_t program_ = -1;
  int signals_ = -1;
  bool ended_ = false, killing_ = false;
};

}  // namespace

void run_guard(const GuardWork& work) { Guard(work).run(); }

}  // namespace sassim::session
