// SPDX-License-Identifier: Apache-2.0
// The runtime's error codes as programs see them: names, texts, and which one a call returns. Each host thread has a
// last error, which is cleared when it is read. Errors of a kernel are sticky: all later calls return them. Reading the
// last error does not count as such a call: after a kernel's error, it stays clear until another call has failed (as on
// an H200).
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

#include "sim/cuda/abi.h"

namespace sassim::cuda {

struct ErrorText {
  Result code;
  const char* name;
  const char* text;
};

/// The name for cudaGetErrorName and the sentence for cudaGetErrorString; "unrecognized error code" for unknown codes.
const ErrorText& error_text(Result code);

/// Stores `code` as this thread's last error unless it is success, and returns it.
Result remember(Result code);
/// Returns this thread's last error and resets it if `clear` is true.
Result last_error(bool clear);

/// During its lifetime this thread is in a function of the driver's interface: it leaves the last error alone, and does
/// not count as a use of the runtime.
class DriverCall {
 public:
  DriverCall() : before_(std::exchange(here_, true)) {}
  ~DriverCall() { here_ = before_; }
  DriverCall(const DriverCall&) = delete;
  DriverCall& operator=(const DriverCall&) = delete;

  static bool here() { return here_; }

 private:
  static thread_local constinit inline bool here_ = false;
  bool before_;
};

/// All later calls fail with `code`.
void set_sticky(Result code);
Result sticky();

/// Writes one log line that explains an error code.
void explain(const std::string& line);

/// A call of a function that this runtime lacks: logs its name once and returns kNotSupported.
Result unsupported(const char* function);

}  // namespace sassim::cuda
