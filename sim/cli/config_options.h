// SPDX-License-Identifier: Apache-2.0
// The options --config, --clocks and -o, and the GPU that they choose, for run, exec, sweep, explore and config.
#pragma once

#include <string>
#include <vector>

#include "sim/config/loader.h"

namespace CLI {
class App;
}

namespace sassim::cli {

/// The help of --caches in commands that replay traces.
inline constexpr const char* kCachesHelp =
    "what a kernel finds in the caches. cold: nothing; warm: all that the previous kernel left; keep: the same without "
    "what each launch invalidates. 'sassim exec' keeps caches by default, because it runs the whole program";

struct ConfigOptions {
  std::string config;                  ///< NAME or FILE
  std::vector<std::string> overrides;  ///< KEY=VALUE
  std::string clocks{};                ///< a clock profile of the GPU; empty: its default clocks

  /// Adds --config (required), --clocks and -o. The object must exist until parsing has finished.
  void add_to(CLI::App& command);
  /// Adds only --clocks and -o.
  void add_overrides_to(CLI::App& command);

  /// Loads the chosen GPU. Throws InputError.
  config::GpuConfig load() const;
  /// The same with the origin of each value.
  config::LoadedConfig load_with_origins() const;
  config::LoadOptions load_options() const;
};

}  // namespace sassim::cli
