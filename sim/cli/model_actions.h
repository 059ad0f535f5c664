// SPDX-License-Identifier: Apache-2.0
// The work of `sassim model` after its options are parsed.
#pragma once

#include <string>
#include <vector>

#include "sim/base/error.h"
#include "sim/cli/config_options.h"

namespace sassim::cli {

struct ModelOptions {
  std::string names;  ///< "list", "all", or names separated by commas
  ConfigOptions config;
  std::string gpu;  ///< a GPU with published parameters, instead of a configuration
  std::string mix = "mem";
  std::string alpha = "0,1,2,4..512", warps;  ///< lists; without `warps`: whole warps per scheduler
  double transactions = 1;
  std::string unit = "ipc";
  double needed = 0;               ///< share of the peak; 0: print throughputs
  std::vector<double> contention;  ///< a, b, c; empty: the GPU's own coefficients
  std::string csv;
};

/// "all", or names separated by commas. Throws InputError for an unknown name.
std::vector<std::string> chosen_models(const std::string& names);

ExitStatus model_list();
ExitStatus model_predict(const ModelOptions& options);

}  // namespace sassim::cli
