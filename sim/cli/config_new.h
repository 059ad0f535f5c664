// SPDX-License-Identifier: Apache-2.0
// sassim config new: writes the configuration of a GPU that has none yet.
#pragma once

#include <string>
#include <vector>

#include "sim/base/error.h"
#include "sim/config/new_chip.h"

namespace sassim::cli {

struct NewOptions {
  std::string name, out;
  std::vector<std::string> outputs;  ///< files with the output of deviceQuery or nvidia-smi -q
  std::string hardware;              ///< a file of tools/measure
  config::ChipFacts stated;          ///< by options; they win over what tools print
};

/// Writes the file of a new chip and says where its values come from. Asks for what is missing if a person can answer.
ExitStatus config_new(const NewOptions& options);

}  // namespace sassim::cli
