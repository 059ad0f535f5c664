// SPDX-License-Identifier: Apache-2.0
// Runs nvdisasm, ptxas and other tools of the CUDA Toolkit, and collects what they print.
#include "sim/isa/child_output.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "sim/base/error.h"

extern char** environ;

namespace sassim::isa {
namespace {

using Clock = std::chrono::steady_clock;
using OutputEnd = ChildOutput::End;

/// Reads what the child writes until it closes its output, or until a limit is exceeded. The text grows in the same
/// steps whatever the sizes of the pieces, which differ from run to run: the program that is simulated allocates from
/// the same heap, and must find it the same in every run.
OutputEnd collect(int descriptor, const OutputLimits& limits, std::string& text) {
  const Clock::time_point until = Clock::now() + limits.time;
  char buffer[1 << 16];
  text.reserve(2 * sizeof(buffer));  // twice a piece, so that doubling never has to be done twice
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    if (left <= 0) return OutputEnd::too_late;
    pollfd ready{descriptor, POLLIN, 0};
    const int events = ::poll(&ready, 1, static_cast<int>(std::min<std::int64_t>(left, 1'000'000)));
    if (events < 0 && errno != EINTR) return OutputEnd::badly;
    if (events <= 0) continue;
    const ssize_t count = ::read(descriptor, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return OutputEnd::badly;
    if (count == 0) return OutputEnd::well;
    if (text.size() + static_cast<std::size_t>(count) > text.capacity()) text.reserve(2 * text.capacity());
    text.append(buffer, static_cast<std::size_t>(count));
    if (text.size() > limits.bytes) return OutputEnd::too_long;
  }
}

pid_t start(std::vector<std::string>& arguments, int input, int output) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  pid_t child = 0;
  const int error = ::posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw InputError("{}: cannot be run: {}", arguments[0], std::strerror(error));
  return child;
}

/// Closes the descriptor at the end of the scope.
struct Descriptor {
  int descriptor;
  ~Descriptor() { close(); }
  void close() {
    if (descriptor >= 0) ::close(descriptor);
    descriptor = -1;
  }
};

}  // namespace

ChildOutput run_for_output(std::vector<std::string> arguments, int input, const OutputLimits& limits) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw InputError("cannot make a pipe: {}", std::strerror(errno));
  const Descriptor in{ends[0]};
  Descriptor out{ends[1]};
  const pid_t child = start(arguments, input, out.descriptor);
  out.close();
  ChildOutput output;
  try {
    output.end = collect(in.descriptor, limits, output.text);
  } catch (...) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    throw;
  }
  if (output.end != OutputEnd::well) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (output.end == OutputEnd::well && !(WIFEXITED(status) && WEXITSTATUS(status) == 0)) output.end = OutputEnd::badly;
  return output;
}

}  // namespace sassim::isa
