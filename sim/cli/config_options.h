// SPDX-License-Identifier: Apache-2.0
// --config and -o, as run, exec, sweep, explore and config take them.
#pragma once

#include <string>
#include <vector>

#include "sim/config/loader.h"

namespace CLI {
class App;
}

namespace sassim::cli {

struct ConfigOptions {
  std::string config;                  ///< NAME or FILE
  std::vector<std::string> overrides;  ///< KEY=VALUE

  /// Adds --config (required) and -o. The object must outlive the parsing.
  void add_to(CLI::App& command);
  /// Adds -o alone.
  void add_overrides_to(CLI::App& command);

  /// The GPU asked for, or InputError.
  config::GpuConfig load() const;
  config::LoadOptions load_options() const;
};

/// The registered names of each policy that a configuration can choose, by key.
config::KnownNames known_names();

}  // namespace sassim::cli
