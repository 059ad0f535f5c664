// SPDX-License-Identifier: Apache-2.0
// Loads configurations from text, for tests.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "sim/config/loader.h"

namespace sassim::config {

inline LoadedConfig read(const std::string& text, std::vector<std::string> overrides = {}) {
  return read_config_text(text, "test.yaml", LoadOptions{std::move(overrides), {}, true});
}

/// All problems of a configuration that may leave keys at their defaults, one per line; empty when the text is valid.
inline std::string problems(const std::string& text, std::vector<std::string> overrides = {}) {
  return fmt::format("{}", fmt::join(read(text, std::move(overrides)).problems, "\n"));
}

}  // namespace sassim::config
