// SPDX-License-Identifier: Apache-2.0
// Prints for the command: names are escaped, and a full disk or closed pipe is an error.
#include "sim/cli/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <iostream>

#include "sim/base/printable.h"

namespace sassim::cli {

namespace {

/// longer than our messages; a message that repeats an argument may be longer
constexpr std::size_t kLongestLine = 1000;

}  // namespace

void reserve_standard_streams() {
  // Each descriptor is opened for the opposite direction, so that using a closed stream remains an error.
  constexpr int kModes[] = {O_WRONLY, O_RDONLY, O_RDONLY};
  for (int stream = 0; stream <= 2; ++stream)
    if (fcntl(stream, F_GETFD) == -1 && errno == EBADF && ::open("/dev/null", kModes[stream]) != stream) return;
}

bool output_failed() { return std::ferror(stdout) != 0 || std::cout.bad(); }

int finish_output(int result, std::error_code reason) {
  std::cout.flush();
  const bool flushed = std::fflush(stdout) == 0;
  if (flushed && !output_failed()) return result;
  // The stream may no longer have the reason; writing one more byte returns it again.
  if (!reason && ::write(STDOUT_FILENO, "\n", 1) < 0) reason = std::error_code(errno, std::generic_category());
  const std::string why = reason == std::errc::broken_pipe ? "the program that read it has ended"
                          : reason                         ? reason.message()
                                                           : "a part of it was lost";
  return fail(ExitStatus::bad_input, "standard output cannot be written: " + why);
}

void show(const std::string& text) { fmt::print("{}", printable_lines(text, std::string::npos)); }

void say(const char* text) noexcept { std::fputs(text, stderr); }

int fail(ExitStatus value, const std::string& what) noexcept {
  try {
    say(("sassim: " + printable_lines(what, kLongestLine) + "\n").c_str());
  } catch (...) {
    return fail_without_memory();
  }
  return static_cast<int>(value);
}

int fail_without_memory() noexcept {
  say("sassim: not enough memory: close other programs, or use fewer threads\n");
  return static_cast<int>(ExitStatus::bad_input);
}

}  // namespace sassim::cli
