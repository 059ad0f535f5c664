// SPDX-License-Identifier: Apache-2.0
// bundle.json: the first part of a bundle, which says what the others are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/bundle/bundle.h"

namespace sassim::bundle {

inline constexpr const char* kIndex = "bundle.json";
inline constexpr const char* kConfig = "config.yaml";
inline constexpr const char* kResult = "result.json";

struct Index {
  std::string version;
  Recipe recipe;            ///< files of traces are names of parts; the configuration is not there yet
  std::vector<Part> parts;  ///< in the order of the file: config.yaml, the traces, result.json
};

std::string index_text(const Index& index);
/// Throws InputError that starts with `place`, also for names that a bundle does not have: "../x", "/etc/x".
Index read_index(const std::string& text, const std::string& place);

/// "traces/12.sast": what the file of a trace is called in a bundle.
std::string trace_part(std::size_t number, const std::filesystem::path& file);

}  // namespace sassim::bundle
