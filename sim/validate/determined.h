// SPDX-License-Identifier: Apache-2.0
// Keys of a configuration that measured microbenchmarks determine, for `sassim config new`.
#pragma once

#include <string>
#include <vector>

#include "sim/config/new_chip.h"
#include "sim/validate/targets.h"

namespace sassim::validate {

struct Determined {
  std::string id, key;  ///< of the microbenchmark, and what it determines
  double measured = 0;
  config::Fact fact;        ///< the value for the configuration
  double residual() const;  ///< of the value, relative to the measured one
};

/// For the measured values (load_hardware) that a row of `table` (validation/determines.yaml) names. Throws InputError.
std::vector<Determined> determined_keys(const std::string& table, const std::vector<Target>& measured);

}  // namespace sassim::validate
