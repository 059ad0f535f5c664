// SPDX-License-Identifier: Apache-2.0
// One simulation of a campaign: a GPU and a workload, with a key that covers everything that the result depends on.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "sim/base/registry.h"
#include "sim/config/forward.h"

namespace sassim::campaign {

struct Point {
  std::string kind;  ///< the name of the PointKind that runs it
  std::shared_ptr<const config::GpuConfig> config;
  std::string workload;  ///< what the kind needs to run it (file names, options), as text
  std::string content;  ///< everything besides the GPU that the result depends on: hashes of the files, and the options
  std::string label;    ///< a name for messages
};

/// 32 hexadecimal digits: a hash of kind, configuration (without its name), content and the simulating program.
std::string point_key(const Point& point, std::string_view program);

/// The version and a hash of the running program's file: another build may simulate other cycles.
const std::string& program_identity();

/// Simulates the points of one kind. An implementation is one file that registers itself:
/// `const Registered<PointKind, Replay> registered("replay");`
class PointKind {
 public:
  static constexpr const char* kKind = "kind of point";
  virtual ~PointKind() = default;
  /// Simulates in a process of its own and returns the result as JSON text.
  virtual std::string run(const config::GpuConfig& config, const Point& point) const = 0;
};

}  // namespace sassim::campaign
