// SPDX-License-Identifier: Apache-2.0
// Runs a command as a user would.
#pragma once

#include <string>

namespace sassim {

struct Outcome {
  int status = -1;  ///< exit status; -1: it did not exit by itself
  std::string out;  ///< standard output
  std::string err;  ///< standard error
};

/// `line` is for the shell.
Outcome run_command(const std::string& line);
/// The same, with `sassim` as the program that was built: "config show t4 | ..." is possible.
Outcome sassim_run(const std::string& arguments);

}  // namespace sassim
