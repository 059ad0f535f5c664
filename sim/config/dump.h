// SPDX-License-Identifier: Apache-2.0
// Writes a configuration: as YAML that can be loaded again, as JSON for results, and as a hash.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sim/config/forward.h"

namespace sassim::config {

/// The name of the GPU in results: "v100", or "v100+clock.sm=1132MHz" if -o has changed it.
std::string shown_name(const GpuConfig& config);

/// Every key with its effective value, except keys of mechanisms that the GPU lacks; the text is a valid configuration.
/// `comment` may return a comment for the path of a key, or of a group on one line.
std::string dump_yaml(const GpuConfig& config, const std::function<std::string(const std::string&)>& comment = {});

/// Every key, nested as in YAML, as plain numbers: sizes in bytes and clocks in Hz.
nlohmann::ordered_json to_json(const GpuConfig& config);
/// The same as text in one line.
std::string to_json_text(const GpuConfig& config);

/// 16 hexadecimal digits over all values except `name` and `description`: GPUs that behave the same have the same hash.
/// Keys of absent mechanisms do not count, so that a new mechanism does not change the hashes of other GPUs.
std::string config_hash(const GpuConfig& config);

struct Difference {
  std::string path;
  std::string left, right;
};

/// The keys with different values, in the order of the file.
std::vector<Difference> differences(const GpuConfig& left, const GpuConfig& right);

}  // namespace sassim::config
