// SPDX-License-Identifier: Apache-2.0
// bundle.json: the first part of a bundle, which lists the other parts.
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
  Recipe recipe;            ///< a trace's files are names of parts; the configuration is not set yet
  std::vector<Part> parts;  ///< in the order of the file: config.yaml, traces, result.json
};

std::string index_text(const Index& index);
/// Throws InputError that begins with `place`; also for names that no bundle has, such as "../x" and "/etc/x".
Index read_index(const std::string& text, const std::string& place);

/// The name of a trace's file in a bundle, such as "traces/12.sast".
std::string trace_part(std::size_t trace_index, const std::filesystem::path& file);

}  // namespace sassim::bundle
