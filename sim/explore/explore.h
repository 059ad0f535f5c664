// SPDX-License-Identifier: Apache-2.0
// The study of `sassim explore`: one workload on many variants of a GPU. Explore plans the points and collects their
// results.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/campaign/campaign.h"
#include "sim/config/loader.h"
#include "sim/explore/metric_table.h"
#include "sim/explore/miss_curves.h"
#include "sim/explore/replay_point.h"
#include "sim/explore/vary.h"
#include "sim/explore/what_if.h"

namespace sassim::explore {

struct ExploreRequest {
  std::string config;  ///< NAME or FILE
  config::LoadOptions load;
  Replay replay;
  std::vector<std::string> vary;  ///< KEY=V1,V2,...
  Combine combine = Combine::grid;
  bool miss_curves = false, what_if = false;
};

/// One variant of the GPU and its result.
struct Variant {
  std::vector<std::size_t> at;  ///< index into each axis' values; empty for an idealisation
  std::string label;
  std::shared_ptr<const config::GpuConfig> config;  ///< empty if the values do not make a GPU
  campaign::PointState state = campaign::PointState::missing;
  std::string error;                     ///< when failed
  std::uint64_t l1_data = 0;             ///< bytes of one L1 that hold data besides the workload's shared memory
  std::vector<KernelMetrics> kernels{};  ///< when done
  MetricTable metrics;                   ///< of all of them together, when done
};

struct Explored {
  std::shared_ptr<const config::GpuConfig> config;
  std::vector<std::string> traces, trace_hashes;
  std::vector<std::string> dependence_modes;  ///< per kernel: "control_bits" or "scoreboard"
  std::string caches;                         ///< the caches at the start of each kernel
  std::vector<std::string> notes;             ///< remarks for readers of the results
  std::vector<Axis> axes;
  Combine combine = Combine::grid;
  std::vector<Variant> variants;  ///< one per combination of axis values; without axes, the GPU as configured
  std::vector<Idealisation> idealisations;
  std::vector<Variant> idealised;  ///< the GPU as configured, then one per idealisation
  std::optional<MissCurves> curves;
  std::string curves_error;
  std::size_t ran = 0, reused = 0, failed = 0;
  bool complete = true;  ///< false: the study was stopped, some points are missing
};

class Explore {
 public:
  /// Reads traces and configurations. A combination of values that does not make a GPU becomes a failed variant. Throws
  /// InputError or UsageError for any other error, and when no combination makes a GPU.
  explicit Explore(const ExploreRequest& request);

  /// The points to simulate in a campaign.
  const std::vector<campaign::Point>& points() const { return points_; }
  /// The results; `outcome` is the campaign's outcome for points().
  Explored collect(const campaign::CampaignOutcome& outcome) const;

 private:
  std::shared_ptr<const config::GpuConfig> load(const std::vector<std::string>& overrides) const;
  void add_variants();
  void add_idealisations();
  void add_point(Variant& variant);

  ExploreRequest request_;
  ReplayPoints replay_;
  Explored plan_;
  std::vector<campaign::Point> points_;
};

/// "l1.size=16KiB l2.size=3MiB"
std::string label_of(const std::vector<Axis>& axes, const std::vector<std::size_t>& at);

}  // namespace sassim::explore
