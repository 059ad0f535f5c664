// SPDX-License-Identifier: Apache-2.0
// Runs `sassim exec` as a user would.
#pragma once

#include "tests/support/program.h"

namespace sassim {

/// sassim exec OPTIONS -- PROGRAM, where PROGRAM names one of the test's programs and its arguments.
inline Outcome exec(const std::string& options, const std::string& program) {
  return run_command(SASSIM_BINARY_DIR "/sassim exec " + options + " -- " SASSIM_PROGRAMS "/" + program);
}

}  // namespace sassim
