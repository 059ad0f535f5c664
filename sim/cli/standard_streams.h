// SPDX-License-Identifier: Apache-2.0
// Standard output and standard error, when they are full, closed or read by somebody who has left.
#pragma once

#include <string>
#include <system_error>

#include "sim/base/error.h"

namespace sassim::cli {

/// A file that the command opens must not become standard output because that was closed. Before anything is opened.
void reserve_standard_streams();

/// Something that was printed to standard output could not be written.
bool output_failed();
/// Sends off what was printed. Returns `result`, or, when that cannot be written, says so (with `reason` where it is
/// known) and returns the status of bad input: no result is done that nobody can read.
int finish_output(int result, std::error_code reason);

/// On standard error; never throws, because there is nobody else to tell.
void say(const char* text) noexcept;
/// "sassim: what" on standard error, without anything that a terminal would obey. Returns the status as
/// main does.
int fail(ExitStatus value, const std::string& what) noexcept;
/// The same where no memory can be had, also not for this message.
int fail_without_memory() noexcept;

}  // namespace sassim::cli
