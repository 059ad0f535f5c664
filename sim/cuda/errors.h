// SPDX-License-Identifier: Apache-2.0
// CUDA's error rules: the last error is per host thread and is cleared when read; errors of a kernel are sticky, every
// later call returns them. Reading the last error is not such a call: it is clear until one has failed (by an H200).
#pragma once

#include <fmt/format.h>

#include <string>

#include "sim/cuda/abi.h"

namespace sassim::cuda {

struct ErrorText {
  Result code;
  const char* name;
  const char* text;
};

/// The names of cudaGetErrorName and a sentence for cudaGetErrorString; unknown codes get "unrecognized error code".
const ErrorText& error_text(Result code);

/// Remembers `code` as this thread's last error unless it is success, and hands it back.
Result remember(Result code);
/// Reads and, if `clear`, resets this thread's last error.
Result last_error(bool clear);

/// From now on every call fails with `code`.
void set_sticky(Result code);
Result sticky();

/// One log line for what CUDA would only answer with a code.
void explain(const std::string& line);

/// An API call that this runtime does not have: logs its name once, returns kNotSupported.
Result unsupported(const char* function);

}  // namespace sassim::cuda
