// SPDX-License-Identifier: Apache-2.0
// Declares --config, --clocks and -o, and loads the GPU that they choose.
#include "sim/cli/config_options.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "sim/config/loader.h"
#include "sim/replay/known_names.h"

namespace sassim::cli {

void ConfigOptions::add_to(CLI::App& command) {
  command.add_option("--config", config, "the GPU: a name ('sassim config list' shows them) or a YAML file")
      ->required()
      ->type_name("NAME|FILE");
  add_overrides_to(command);
}

void ConfigOptions::add_overrides_to(CLI::App& command) {
  command
      .add_option("--clocks", clocks,
                  "the GPU's clocks by name, such as base, boost or ncu (what Nsight Compute holds it at); "
                  "default: those of its file. -o changes single ones")
      ->type_name("NAME");
  command.add_option("-o,--override", overrides, "change one value, such as -o l1.size=64KiB; can be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

config::LoadOptions ConfigOptions::load_options() const {
  config::LoadOptions options{overrides, replay::known_names()};
  if (!clocks.empty()) options.overrides.insert(options.overrides.begin(), "clocks=" + clocks);
  return options;
}

config::GpuConfig ConfigOptions::load() const { return config::load_config(config, load_options()); }

config::LoadedConfig ConfigOptions::load_with_origins() const {
  config::LoadedConfig loaded = config::read_config(config, load_options());
  config::require_valid(loaded);
  config::log_notes(loaded);
  return loaded;
}

}  // namespace sassim::cli
