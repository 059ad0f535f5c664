// SPDX-License-Identifier: Apache-2.0
// The experiments of Volkov's dissertation, chapters 4, 5 and 7, on the simulated GPU: throughput over occupancy for
// each arithmetic intensity, the warps that hiding latency takes, and how far off analytic models are.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/model/throughput_model.h"
#include "sim/study/mix_point.h"

namespace sassim::study {

struct SweepPlan {
  std::shared_ptr<const config::GpuConfig> gpu;
  MixWorkload mix;  ///< without alpha and warps
  std::vector<double> alphas;
  std::vector<std::uint32_t> warps;
};

/// Every alpha with every number of warps, in that order. A mix that uses nothing outside its SM is simulated on one.
std::vector<Point> sweep_points(const SweepPlan& plan);

/// By alpha and warps.
using Curve = std::map<std::uint32_t, double>;
using Curves = std::map<double, Curve>;

/// What hardware reached, in instructions of the mix per cycle and SM, from a file of validation/hardware. Only values
/// of full runs: a sweep gives the steady state, of which a short run has little. Empty when it did not run this mix in
/// this form.
Curves hardware_curves(const SweepPlan& plan, const std::string& file);

struct Sweep {
  SweepPlan plan;
  std::vector<MixPoint> points;  ///< those that were simulated
  Curves hardware;
  model::HardwareParameters parameters;  ///< what the models are given
  std::string parameters_from;           ///< in words
  std::vector<std::string> models;
  double transactions = 1;         ///< that one load is, in the unit of parameters.mem
  std::vector<std::string> notes;  ///< what a reader of the results should know
  bool complete = true;            ///< false: stopped; some points are missing

  Curves simulated() const;
  model::Mix mix(double alpha) const { return {alpha, plan.mix.kind, transactions}; }
  /// Instructions per cycle and SM; independent chains count as warps of their own (Volkov, Figure 6.2).
  double predict(const model::ThroughputModel& model, double alpha, double warps) const;
};

/// Sets the parameters of the models. As Volkov measured his (section 4.2): the latency of the other instruction is
/// what one warp per scheduler sees at alpha 0, its throughput the best of all points, and contention is fitted to the
/// points of alpha 0; without alpha 0 all comes from the configuration.
void set_parameters(Sweep& sweep);

/// The smallest number of warps with 90 % of the peak, by alpha.
struct Cusp {
  std::map<double, double> warps;  ///< an alpha at which no occupancy is enough is not in it
  double peak_alpha = 0;           ///< where one expects the most: arithmetic rate over the other's
};
Cusp needed(const Sweep& sweep, const Curves& curves);
/// Of a model, up to four times what the GPU holds.
Cusp needed(const Sweep& sweep, const model::ThroughputModel& model, const std::vector<double>& alphas);
constexpr double kNeededPart = 0.9;

/// Least and largest of what a model says over what was observed, over the occupancies with whole warps per scheduler.
struct ErrorRange {
  std::string model, against;  ///< against the simulator or the hardware; the simulator is a model of the hardware too
  double alpha = 0;
  double least = 0, most = 0;
  std::size_t points = 0;
};
inline constexpr const char *kSimulator = "simulator", *kHardware = "hardware";
std::vector<ErrorRange> model_errors(const Sweep& sweep);

/// How far the ends of the curves are from their formulas (section 4.1): n / latency with one warp per scheduler, and
/// the least of the throughputs with all warps.
struct EndCheck {
  double alpha = 0;
  std::optional<double> latency_bound, throughput_bound;  ///< simulated over formula, less one
};
std::vector<EndCheck> check_ends(const Sweep& sweep);

/// points.csv and points.json alone, of a study that was stopped.
void write_sweep_points(const Sweep& sweep, const std::string& folder);

/// points.csv, points.json, errors.csv, plots and index.html in a folder.
void write_sweep(const Sweep& sweep, const std::string& folder);
/// What the command prints.
std::string sweep_text(const Sweep& sweep);

}  // namespace sassim::study
