// SPDX-License-Identifier: Apache-2.0
// The exception that the library throws for whatever goes wrong.
#pragma once

#ifdef SASSIM_INSIDE  // the library itself has the same definitions there
#include "sim/base/error.h"
#else

#include <stdexcept>
#include <string>

namespace sassim {

/// The exit status of the command for an error.
enum class ExitStatus : int {
  done = 0,
  check_failed = 1,
  usage = 2,          ///< a function or an option was used in a wrong way
  bad_input = 3,      ///< a trace, a configuration or a file is wrong, or the system lacks something
  not_supported = 4,  ///< valid input needs something that the simulator lacks
  no_progress = 5,    ///< the simulated GPU stopped making progress
  internal = 6,       ///< a mistake of the simulator
};

/// The message says the place, what was expected, and what to do.
class Error : public std::runtime_error {
 public:
  Error(ExitStatus status, const std::string& message) : std::runtime_error(message), status_(status) {}
  ExitStatus status() const { return status_; }

 private:
  ExitStatus status_;
};

}  // namespace sassim

#endif
