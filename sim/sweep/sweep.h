// SPDX-License-Identifier: Apache-2.0
// The experiments of Volkov's dissertation, chapters 4, 5 and 7, on the simulated GPU: throughput over occupancy for
// each arithmetic intensity, the warps needed to hide latency, and the errors of analytic models.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/model/throughput_model.h"
#include "sim/sweep/mix_point.h"

namespace sassim::sweep {

struct SweepPlan {
  std::shared_ptr<const config::GpuConfig> gpu;
  MixWorkload mix;  ///< without alpha and warps
  std::vector<double> alphas;
  std::vector<std::uint32_t> warps;
};

/// Every alpha with every number of warps, in that order. A mix that uses only its SM is simulated on one SM.
std::vector<campaign::Point> sweep_points(const SweepPlan& plan);

/// By number of warps.
using Curve = std::map<std::uint32_t, double>;
using Curves = std::map<double, Curve>;

/// What hardware reached, in instructions of the mix per cycle and SM, from a file of validation/measured. Only values
/// of full runs are used: a sweep gives the steady state, of which a short run has little. Empty if the file lacks this
/// mix in this form.
Curves hardware_curves(const SweepPlan& plan, const std::string& file);

struct Sweep {
  SweepPlan plan;
  std::vector<MixPoint> points;  ///< the points that were simulated
  Curves hardware;
  model::HardwareParameters parameters;  ///< the input of the models
  std::string parameters_from;           ///< where the parameters come from, in words
  std::vector<std::string> models;
  double transactions = 1;         ///< transactions of one load, in the unit of parameters.mem
  std::vector<std::string> notes;  ///< remarks for readers of the results
  bool complete = true;            ///< false: the sweep was stopped, some points are missing

  Curves simulated() const;
  /// What hardware reached at this point, if it was measured.
  std::optional<double> measured(const MixPoint& point) const;
  model::Mix mix(double alpha) const { return {alpha, plan.mix.kind, transactions}; }
  /// Instructions per cycle and SM. Each independent chain counts as a warp (Volkov, Figure 6.2).
  double predict(const model::ThroughputModel& model, double alpha, double warps) const;
};

/// Sets the models' parameters as Volkov did (section 4.2): the latency of the other instruction is measured with one
/// warp per scheduler at alpha 0, its throughput is the best of all points, and contention is fitted to the points with
/// alpha 0. Without alpha 0, all parameters come from the configuration.
void set_parameters(Sweep& sweep);

/// A remark about the models that apply to no alpha of this mix and are not drawn; empty: all apply.
std::string left_out_models(const Sweep& sweep);

/// The smallest number of warps with 90 % of the peak, for each alpha.
struct Cusp {
  std::map<double, double> warps;  ///< without an alpha for which no occupancy is enough
  double peak_alpha =
      0;  ///< where the largest number is expected: the arithmetic rate over the rate of the other instruction
};
Cusp needed(const Sweep& sweep, const Curves& curves);
/// The same of a model, up to four times the warps that the GPU holds.
Cusp needed(const Sweep& sweep, const model::ThroughputModel& model, const std::vector<double>& alphas);
constexpr double kNeededPart = 0.9;

/// The range of predicted over observed throughput, over the occupancies with equal warps on all schedulers.
struct ErrorRange {
  std::string model,
      against;  ///< `against`: the simulator or the hardware; the simulator itself is compared with the hardware too
  double alpha = 0;
  double least = 0, most = 0;
  std::size_t points = 0;
};
inline constexpr const char *kSimulator = "simulator", *kHardware = "hardware";
std::vector<ErrorRange> model_errors(const Sweep& sweep);

/// What a curve over occupancy says, by name (sections 6.1 and 6.3): `ipc` and `gbs`, the largest throughputs;
/// `latency`, the smallest mean of a warp's cycles per instruction; `warps90`, `warps95` and `warps99`, the fewest
/// warps per SM with that part of the largest throughput.
std::vector<std::pair<std::string, double>> curve_values(const std::vector<MixPoint>& points);

/// Compares the ends of the curves with their formulas (section 4.1): n / latency with one warp per scheduler, and the
/// least of the throughput limits with all warps.
struct EndCheck {
  double alpha = 0;
  std::optional<double> latency_bound, throughput_bound;  ///< simulated over formula, minus one
};
std::vector<EndCheck> check_ends(const Sweep& sweep);

/// Writes only points.csv and points.json, for a sweep that was stopped.
void write_sweep_points(const Sweep& sweep, const std::string& folder);

/// Writes points.csv, points.json, errors.csv, plots and index.html to a folder.
void write_sweep(const Sweep& sweep, const std::string& folder);
/// What follows from the results, in sentences: how many warps hide the latency, and which models predict it.
std::vector<std::string> findings(const Sweep& sweep);
/// The results and what follows from them, as one page that needs no other file.
std::string sweep_html(const Sweep& sweep);
/// The text that the command prints.
std::string sweep_text(const Sweep& sweep);

}  // namespace sassim::sweep
