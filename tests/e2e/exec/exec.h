// SPDX-License-Identifier: Apache-2.0
// Runs `sassim exec` as a user would.
#pragma once

#include <string>

namespace sassim {

struct Outcome {
  int status = -1;  ///< exit status; -1: it did not exit by itself
  std::string out;  ///< standard output
  std::string err;  ///< standard error
};

/// sassim exec OPTIONS -- PROGRAM, where PROGRAM names one of the test's programs and its arguments.
Outcome exec(const std::string& options, const std::string& program);

}  // namespace sassim
