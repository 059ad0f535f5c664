// SPDX-License-Identifier: Apache-2.0
// A sweep as text for people: throughputs, the warps that are needed, and how well models predict them.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "sim/sweep/sweep.h"
#include "sim/sweep/sweep_plots.h"

namespace sassim::sweep {

namespace {

std::string percent(const std::optional<double>& value) { return value ? fmt::format("{:+.1f} %", 100 * *value) : "-"; }

std::string throughput_table(const Sweep& sweep) {
  std::string text = "instructions per cycle and SM\n" + fmt::format("{:>8}", "alpha");
  for (const std::uint32_t warps : sweep.plan.warps) text += fmt::format(" {:>7}", fmt::format("w={}", warps));
  text += "\n";
  const Curves curves = sweep.simulated();
  for (const auto& [alpha, curve] : curves) {
    text += fmt::format("{:>8}", alpha_name(alpha));
    for (const std::uint32_t warps : sweep.plan.warps) {
      const auto found = curve.find(warps);
      text += found == curve.end() ? fmt::format(" {:>7}", "failed") : fmt::format(" {:>7.4g}", found->second);
    }
    text += "\n";
  }
  return text;
}

std::string cusp_table(const Sweep& sweep) {
  const Cusp simulated = needed(sweep, sweep.simulated()), measured = needed(sweep, sweep.hardware);
  const auto cell = [](const Cusp& cusp, double alpha) {
    const auto found = cusp.warps.find(alpha);
    return found == cusp.warps.end() ? std::string("more") : fmt::format("{:g}", found->second);
  };
  std::string text = fmt::format(
      "\nwarps per SM for {:g} % of the peak; the rates of adds and {} meet at alpha {:.3g}\n"
      "{:>8} {:>10}{} {:>14} {:>16}\n",
      100 * kNeededPart, other_name(sweep.plan.mix.kind), simulated.peak_alpha, "alpha", "simulated",
      sweep.hardware.empty() ? "" : fmt::format(" {:>9}", "hardware"), "few warps", "all warps");
  for (const EndCheck& check : check_ends(sweep)) {
    text += fmt::format("{:>8} {:>10}", alpha_name(check.alpha), cell(simulated, check.alpha));
    if (!sweep.hardware.empty())
      text += fmt::format(" {:>9}", sweep.hardware.contains(check.alpha) ? cell(measured, check.alpha) : "-");
    text += fmt::format(" {:>14} {:>16}\n", percent(check.latency_bound), percent(check.throughput_bound));
  }
  return text +
         "few warps, all warps: how far the ends of the curves are from n / latency and from the peak\n"
         "('-': the end is not within this sweep)\n";
}

std::string error_table(const Sweep& sweep) {
  const auto errors = model_errors(sweep);
  if (errors.empty()) return "";
  std::string text = "\nmodel / measured: min and max, and where\n";
  std::vector<std::string> names{kSimulator};
  names.insert(names.end(), sweep.models.begin(), sweep.models.end());
  for (const std::string& name : names)
    for (const std::string against : {kSimulator, kHardware}) {
      const ErrorRange *low = nullptr, *high = nullptr;
      for (const ErrorRange& error : errors) {
        if (error.model != name || error.against != against) continue;
        if (!low || error.least < low->least) low = &error;
        if (!high || error.most > high->most) high = &error;
      }
      if (low)
        text += fmt::format("{:>15} against {:<9} {:>8.3g} at alpha {:<4} {:>8.3g} at alpha {:<4}\n", name, against,
                            low->least, alpha_name(low->alpha), high->most, alpha_name(high->alpha));
    }
  return text;
}

}  // namespace

std::string sweep_text(const Sweep& sweep) {
  std::string text = throughput_table(sweep) + cusp_table(sweep) + error_table(sweep);
  const model::Instructions& other = sweep.parameters.other(sweep.plan.mix.kind);
  text += fmt::format("\nof {}: add {:g} cycles, {:g} IPC; {} {:.4g} cycles, {:.4g} IPC\n", sweep.parameters_from,
                      sweep.parameters.alu.latency, sweep.parameters.alu.throughput, other_name(sweep.plan.mix.kind),
                      other.latency, other.throughput);
  for (const std::string& note : sweep.notes) text += "note: " + note + "\n";
  return text;
}

}  // namespace sassim::sweep
