// SPDX-License-Identifier: Apache-2.0
// What `sassim model` does once its options are known.
#pragma once

#include <string>
#include <vector>

#include "sim/base/error.h"
#include "sim/cli/config_options.h"

namespace sassim::cli {

struct ModelOptions {
  std::string names;  ///< "list", "all", or names between commas
  ConfigOptions config;
  std::string gpu;  ///< one with published parameters, instead of a configuration
  std::string mix = "mem";
  std::string alpha = "0,1,2,4..512", warps;  ///< lists; no warps: whole warps per scheduler
  double transactions = 1;
  std::string unit = "ipc";
  double needed = 0;               ///< of the peak; 0: print throughputs
  std::vector<double> contention;  ///< a, b, c; empty: the GPU's own
  std::string csv;
};

/// "all", or names between commas. Throws InputError for one that there is not.
std::vector<std::string> chosen_models(const std::string& names);

ExitStatus model_list();
ExitStatus model_predict(const ModelOptions& options);

}  // namespace sassim::cli
