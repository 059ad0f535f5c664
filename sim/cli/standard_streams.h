// SPDX-License-Identifier: Apache-2.0
// The command's standard output and standard error: prints lines with names escaped, and handles streams that are full
// or closed, or whose reader has ended.
#pragma once

#include <string>
#include <system_error>
#include <utility>

#include "sim/base/error.h"

namespace sassim::cli {

/// Call it before any file is opened: if standard output is closed, a new file must not get its descriptor.
void reserve_standard_streams();

/// True if a part of standard output could not be written.
bool output_failed();
/// Flushes standard output and returns `result`. If that fails, prints an error (with `reason` if it is known) and
/// returns the status of bad input, because the result cannot be read.
int finish_output(int result, std::error_code reason);

/// Prints lines to standard output. What a terminal obeys and what nobody sees is escaped: names come from outside.
void show(const std::string& text);
template <class First, class... Rest>
void show(fmt::format_string<First, Rest...> format, First&& first, Rest&&... rest) {
  show(fmt::format(format, std::forward<First>(first), std::forward<Rest>(rest)...));
}

/// Prints to standard error; never throws, because nobody could handle it.
void say(const char* text) noexcept;
/// Prints "sassim: what" to standard error, without control characters. Returns the status for main().
int fail(ExitStatus value, const std::string& what) noexcept;
/// The same without any allocation of memory.
int fail_without_memory() noexcept;

}  // namespace sassim::cli
