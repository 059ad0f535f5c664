// SPDX-License-Identifier: Apache-2.0
// A configuration written out: as YAML that loads again, as JSON for results, as a hash.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sim/config/gpu_config.h"

namespace sassim::config {

/// What results call the GPU: "v100", or "v100+clock.sm=1132MHz" when -o has made another one of it.
std::string shown_name(const GpuConfig& config);

/// Every key with its effective value, but for those of mechanisms that the GPU lacks; a valid configuration. `comment`
/// may give a remark for the path of a key, or of a group that is written on one line.
std::string dump_yaml(const GpuConfig& config, const std::function<std::string(const std::string&)>& comment = {});

/// Every key, nested as in YAML; sizes in bytes and clocks in Hz as plain numbers.
nlohmann::ordered_json to_json(const GpuConfig& config);

/// 16 hexadecimal digits over every value but `name` and `description`: equal for GPUs that behave the same. Mechanisms
/// that a GPU lacks do not count, so that a new one leaves the hashes of the others as they are.
std::string config_hash(const GpuConfig& config);

struct Difference {
  std::string path;
  std::string left, right;
};

/// The keys whose values differ, in the order of the file.
std::vector<Difference> differences(const GpuConfig& left, const GpuConfig& right);

}  // namespace sassim::config
