// SPDX-License-Identifier: Apache-2.0
// Standard output and standard error if they are full or closed, or if their reader has ended.
#pragma once

#include <string>
#include <system_error>

#include "sim/base/error.h"

namespace sassim::cli {

/// Call it before any file is opened: if standard output is closed, a new file must not get its descriptor.
void reserve_standard_streams();

/// True if a part of standard output could not be written.
bool output_failed();
/// Flushes standard output and returns `result`. If that fails, prints an error (with `reason` if it is known) and
/// returns the status of bad input, because the result cannot be read.
int finish_output(int result, std::error_code reason);

/// Prints to standard error; never throws, because nobody could handle it.
void say(const char* text) noexcept;
/// Prints "sassim: what" to standard error, without control characters. Returns the status for main().
int fail(ExitStatus value, const std::string& what) noexcept;
/// The same without any allocation of memory.
int fail_without_memory() noexcept;

}  // namespace sassim::cli
