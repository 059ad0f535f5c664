// SPDX-License-Identifier: Apache-2.0
// Finds keys that a file of measurements determines, for `sassim config new --hardware`.
#include "sim/validate/determined.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "sim/base/error.h"
#include "sim/base/input_file.h"

namespace sassim::validate {

double Determined::residual() const {
  const double value = std::strtod(fact.value.c_str(), nullptr);
  return measured == 0 ? 0 : (value - measured) / measured;
}

std::vector<Determined> determined_keys(const std::string& table, const std::vector<Target>& measured) try {
  std::vector<Determined> found;
  for (const YAML::Node& row : YAML::Load(read_input_file(table, kValidationFile))["determines"]) {
    const auto id = row["id"].as<std::string>();
    const auto target = std::ranges::find(measured, id, &Target::answer);
    if (target == measured.end() || !target->expected) continue;
    const double value = *target->expected;
    found.push_back(
        {id,
         row["key"].as<std::string>(),
         value,
         {fmt::format("{:.0f}", value), fmt::format("measured: {} of {} ({:.6g})", id, target->source, value)}});
  }
  return found;
} catch (const YAML::Exception& error) {
  throw InputError("{}:{}: {}", table, error.mark.line + 1, error.msg);
}

}  // namespace sassim::validate
