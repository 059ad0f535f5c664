// SPDX-License-Identifier: Apache-2.0
// The subcommands of `sassim config`, one function each. Results go to standard output.
#pragma once

#include <string>
#include <vector>

#include "sim/base/error.h"
#include "sim/cli/config_options.h"

namespace sassim::cli {

/// Lists all configurations by name.
ExitStatus config_list();

struct ShowOptions {
  bool sources = false;  ///< adds a comment to each value with the place where it was set
  bool json = false;
};
/// Prints the effective values as a configuration.
ExitStatus config_show(const ConfigOptions& which, const ShowOptions& how);

/// Reads each configuration and prints its hash, or all its problems on standard error.
ExitStatus config_check(const std::vector<std::string>& files, const ConfigOptions& changes);

/// Prints the keys with different values; overrides apply to the right one.
ExitStatus config_diff(const std::string& left, const std::string& right, const ConfigOptions& changes);

/// Prints meaning, values and provenance of keys and groups; of all keys if `keys` is empty.
ExitStatus config_explain(const std::vector<std::string>& keys, const ConfigOptions& which);

}  // namespace sassim::cli
