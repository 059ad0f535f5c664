// SPDX-License-Identifier: Apache-2.0
// What `sassim config` does, one function per subcommand. Results go to standard output.
#pragma once

#include <string>
#include <vector>

#include "sim/base/error.h"
#include "sim/cli/config_options.h"

namespace sassim::cli {

/// Every configuration that can be named.
ExitStatus config_list();

struct ShowOptions {
  bool sources = false;  ///< a comment beside each value says where it was set
  bool json = false;
};
/// The effective values, as a configuration.
ExitStatus config_show(const ConfigOptions& which, const ShowOptions& how);

/// Reads each, prints its hash or, on standard error, everything that is wrong with it.
ExitStatus config_check(const std::vector<std::string>& files, const ConfigOptions& changes);

/// The keys whose values differ; the overrides change the right one.
ExitStatus config_diff(const std::string& left, const std::string& right, const ConfigOptions& changes);

/// Meaning, values and provenance of keys and groups; all keys when `keys` is empty.
ExitStatus config_explain(const std::vector<std::string>& keys, const ConfigOptions& which);

}  // namespace sassim::cli
