// SPDX-License-Identifier: Apache-2.0
// What can go wrong, and the exit status that each kind ends the command with.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace sassim {

enum class ExitStatus : int {
  done = 0,
  check_failed = 1,
  usage = 2,
  bad_input = 3,
  not_supported = 4,
  no_progress = 5,
  internal = 6,
};

/// The message is one line that names the place, what was expected and the way out.
class Error : public std::runtime_error {
 public:
  Error(ExitStatus status, const std::string& message) : std::runtime_error(message), status_(status) {}
  ExitStatus status() const { return status_; }

 private:
  ExitStatus status_;
};

/// A config, trace, cubin or other file that is not what it should be.
class InputError : public Error {
 public:
  template <class... Args>
  explicit InputError(fmt::format_string<Args...> format, Args&&... args)
      : Error(ExitStatus::bad_input, fmt::format(format, std::forward<Args>(args)...)) {}
};

/// The command or an API was called in a way that makes no sense.
class UsageError : public Error {
 public:
  template <class... Args>
  explicit UsageError(fmt::format_string<Args...> format, Args&&... args)
      : Error(ExitStatus::usage, fmt::format(format, std::forward<Args>(args)...)) {}
};

/// Valid input that needs something this simulator does not have: an opcode, an API call.
class NotSupported : public Error {
 public:
  template <class... Args>
  explicit NotSupported(fmt::format_string<Args...> format, Args&&... args)
      : Error(ExitStatus::not_supported, fmt::format(format, std::forward<Args>(args)...)) {}
};

/// The simulated machine stopped making progress.
class NoProgress : public Error {
 public:
  explicit NoProgress(const std::string& report) : Error(ExitStatus::no_progress, report) {}
};

}  // namespace sassim
