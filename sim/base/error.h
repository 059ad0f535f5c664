// SPDX-License-Identifier: Apache-2.0
// The kinds of errors, each with its exit status.
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

/// The message is one line: the place, what was expected, and what to do.
class Error : public std::runtime_error {
 public:
  Error(ExitStatus status, const std::string& message) : std::runtime_error(message), status_(status) {}
  ExitStatus status() const { return status_; }

 private:
  ExitStatus status_;
};

/// A config, trace, cubin or other file is wrong.
class InputError : public Error {
 public:
  template <class... Args>
  explicit InputError(fmt::format_string<Args...> format, Args&&... args)
      : Error(ExitStatus::bad_input, fmt::format(format, std::forward<Args>(args)...)) {}
};

/// The command or an API was called in a wrong way.
class UsageError : public Error {
 public:
  template <class... Args>
  explicit UsageError(fmt::format_string<Args...> format, Args&&... args)
      : Error(ExitStatus::usage, fmt::format(format, std::forward<Args>(args)...)) {}
};

/// Valid input needs something that the simulator lacks: an opcode, an API call.
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
