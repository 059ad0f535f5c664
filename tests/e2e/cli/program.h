// SPDX-License-Identifier: Apache-2.0
// Runs the `sassim` command as a user would.
#pragma once

#include <string>

namespace sassim {

struct Outcome {
  int status = -1;  ///< exit status; -1: it did not exit by itself
  std::string out;  ///< standard output
  std::string err;  ///< standard error
};

/// `arguments` is a line for the shell: "config show t4 | ..." is possible after the first word.
Outcome sassim_run(const std::string& arguments);

}  // namespace sassim
