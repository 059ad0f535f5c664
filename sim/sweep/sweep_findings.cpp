// SPDX-License-Identifier: Apache-2.0
// Says in sentences what follows from a sweep: throughputs, the warps that hide the latency, and which models predict
// them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/sweep/sweep.h"
#include "sim/sweep/sweep_plots.h"

namespace sassim::sweep {

namespace {

/// The least and the most that a model, or the simulator, is over what it is compared with, over all alphas.
struct Range {
  std::string model;
  double least = INFINITY, most = 0;
  double worst() const { return std::max(most, 1 / std::max(least, 1e-9)); }
};

std::vector<Range> ranges(const Sweep& sweep, const std::string& against) {
  std::vector<Range> all;
  for (const ErrorRange& error : model_errors(sweep)) {
    if (error.against != against) continue;
    auto found = std::find_if(all.begin(), all.end(), [&](const Range& range) { return range.model == error.model; });
    if (found == all.end()) found = all.insert(all.end(), Range{error.model});
    found->least = std::min(found->least, error.least);
    found->most = std::max(found->most, error.most);
  }
  std::stable_sort(all.begin(), all.end(), [](const Range& a, const Range& b) { return a.worst() < b.worst(); });
  return all;
}

std::string range_text(const Range& range) { return fmt::format("{:.3g} to {:.3g} times", range.least, range.most); }

void add_throughput(const Sweep& sweep, std::vector<std::string>& sentences) {
  if (sweep.points.empty()) return;
  const auto best = std::max_element(sweep.points.begin(), sweep.points.end(),
                                     [](const MixPoint& a, const MixPoint& b) { return a.ipc < b.ipc; });
  sentences.push_back(
      fmt::format("The most throughput is {:.4g} instructions per cycle and SM, at α = {} with {} warps", best->ipc,
                  alpha_name(best->workload.alpha), best->workload.warps));
}

void add_cusp(const Sweep& sweep, std::vector<std::string>& sentences) {
  const Cusp cusp = needed(sweep, sweep.simulated());
  std::string unreached;
  const std::pair<const double, double>*least = nullptr, *most = nullptr;
  for (const auto& [alpha, curve] : sweep.simulated())
    if (!cusp.warps.contains(alpha)) unreached += (unreached.empty() ? "" : ", ") + alpha_name(alpha);
  for (const auto& needed : cusp.warps) {
    if (least == nullptr || needed.second < least->second) least = &needed;
    if (most == nullptr || needed.second > most->second) most = &needed;
  }
  if (most != nullptr)
    sentences.push_back(
        fmt::format("{:g} % of the peak needs {:g} warps per SM at α = {}, and most, {:g}, at α = {}; the rates of "
                    "adds and {} meet "
                    "at α = {:.3g}",
                    100 * kNeededPart, least->second, alpha_name(least->first), most->second, alpha_name(most->first),
                    other_name(sweep.plan.mix.kind), cusp.peak_alpha));
  if (!unreached.empty())
    sentences.push_back(fmt::format("No number of warps in this sweep reaches {:g} % of the peak at α = {}",
                                    100 * kNeededPart, unreached));
}

void add_models(const Sweep& sweep, std::vector<std::string>& sentences) {
  const std::vector<Range> models = ranges(sweep, kSimulator);
  if (!models.empty()) {
    const Range &near = models.front(), &far = models.back();
    sentences.push_back(
        models.size() == 1
            ? fmt::format("The model {} predicts {} the simulator's throughput", near.model, range_text(near))
            : fmt::format("Of {} models, {} is nearest to the simulator and predicts {} its throughput; {} is farthest "
                          "with {}",
                          models.size(), near.model, range_text(near), far.model, range_text(far)));
  }
  for (const Range& range : ranges(sweep, kHardware))
    if (range.model == kSimulator)
      sentences.push_back(fmt::format("The simulator reaches {} the throughput that was measured", range_text(range)));
}

}  // namespace

std::vector<std::string> findings(const Sweep& sweep) {
  std::vector<std::string> sentences;
  add_throughput(sweep, sentences);
  add_cusp(sweep, sentences);
  add_models(sweep, sentences);
  return sentences;
}

}  // namespace sassim::sweep
