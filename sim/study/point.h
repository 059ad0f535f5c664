// SPDX-License-Identifier: Apache-2.0
// One simulation of a campaign: a GPU and a workload, named by everything that its result depends on.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "sim/base/registry.h"
#include "sim/config/gpu_config.h"

namespace sassim::study {

struct Point {
  std::string kind;  ///< who runs it: the name of a PointKind
  std::shared_ptr<const config::GpuConfig> config;
  std::string workload;  ///< what the kind needs to run it, as text of its own (file names, options)
  std::string content;   ///< all that the result depends on besides the GPU: hashes of those files, the options
  std::string label;     ///< for people
};

/// 32 hexadecimal digits over kind, configuration (but for its name), content and the program that simulates.
std::string point_key(const Point& point, std::string_view program);

/// The version and a hash of the running program's file: another build may give other cycles.
const std::string& program_identity();

/// How points of one kind are simulated. An implementation is one file that registers itself:
/// `const Registered<PointKind, Replay> registered("replay");`
class PointKind {
 public:
  static constexpr const char* kKind = "kind of point";
  virtual ~PointKind() = default;
  /// Simulates, in a process of its own, and returns the result as the text of a JSON value.
  virtual std::string run(const config::GpuConfig& config, const Point& point) const = 0;
};

}  // namespace sassim::study
