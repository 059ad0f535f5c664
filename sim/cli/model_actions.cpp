// SPDX-License-Identifier: Apache-2.0
// Prints what analytic models predict of a GPU: throughput over warps, or the warps that are needed.
#include "sim/cli/model_actions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/base/csv.h"
#include "sim/base/durable_file.h"
#include "sim/base/number_list.h"
#include "sim/cli/standard_streams.h"
#include "sim/model/throughput_model.h"

namespace sassim::cli {

namespace {

constexpr int kMostWarps = 1024;

model::HardwareParameters hardware(const ModelOptions& options) {
  if (options.gpu.empty() && options.config.config.empty())
    throw UsageError("sassim model: choose a GPU with --config NAME or --gpu NAME");
  model::HardwareParameters gpu =
      options.gpu.empty() ? model::from_config(options.config.load()) : model::published_gpu(options.gpu);
  if (!options.contention.empty())
    gpu.contention = {options.contention[0], options.contention[1], options.contention[2]};
  return gpu;
}

std::vector<double> warp_counts(const ModelOptions& options, const model::HardwareParameters& gpu) {
  std::vector<double> counts;
  if (options.warps.empty())
    for (double n = gpu.schedulers; n <= gpu.max_warps; n += gpu.schedulers) counts.push_back(n);
  else
    for (const long long n : parse_integer_list(options.warps, "--warps", 1)) counts.push_back(static_cast<double>(n));
  return counts;
}

std::vector<double> intensities(const ModelOptions& options) {
  std::vector<double> alphas = parse_number_list(options.alpha, "--alpha");
  for (const double alpha : alphas)
    if (alpha < 0) throw UsageError("--alpha: {} is below zero", alpha);
  return alphas;
}

double in_unit(const std::string& unit, const model::HardwareParameters& gpu, const model::Mix& mix, double ipc) {
  if (unit == "adds") return model::adds_per_cycle(mix, ipc);
  if (unit == "other") return model::other_ipc(mix, ipc);
  if (unit == "gbs") return model::memory_gbs(gpu, mix, ipc);
  return ipc;
}

/// A request with its defaults filled in.
struct Request {
  const ModelOptions& options;
  model::HardwareParameters gpu = hardware(options);
  model::MixKind kind = model::mix_kind(options.mix);
  std::vector<double> alphas = intensities(options), warps = warp_counts(options, gpu);

  model::Mix mix(double alpha) const { return {alpha, kind, options.transactions}; }
};

std::string header(const Request& request, const char* first) {
  std::string line = fmt::format("{:>6}", first);
  for (const double alpha : request.alphas) line += fmt::format(" {:>9}", fmt::format("a={:g}", alpha));
  return line + "\n";
}

std::string throughput_table(const Request& request, const model::ThroughputModel& model) {
  std::string text = header(request, "warps");
  for (const double warps : request.warps) {
    text += fmt::format("{:>6}", warps);
    for (const double alpha : request.alphas) {
      const model::Mix mix = request.mix(alpha);
      if (model.covers(request.gpu, mix))
        text += fmt::format(" {:>9.4g}",
                            in_unit(request.options.unit, request.gpu, mix, model.predict(request.gpu, mix, warps)));
      else
        text += fmt::format(" {:>9}", "-");
    }
    text += "\n";
  }
  return text;
}

std::string needed_table(const Request& request, const std::vector<std::string>& names) {
  std::string text = fmt::format("{:>14} {}", "", header(request, ""));
  for (const std::string& name : names) {
    const auto model = model::make_model(name);
    text += fmt::format("{:>14} {:>6}", name, "");
    for (const double alpha : request.alphas) {
      const model::Mix mix = request.mix(alpha);
      std::string cell = "-";
      if (model->covers(request.gpu, mix)) {
        const auto warps = model::warps_needed(*model, request.gpu, mix, request.options.needed, kMostWarps);
        cell = warps ? fmt::format("{}", *warps) : "never";
      }
      text += fmt::format(" {:>9}", cell);
    }
    text += "\n";
  }
  return text;
}

std::string csv_text(const Request& request, const std::vector<std::string>& names) {
  std::string text = "model,gpu,mix,alpha,warps,ipc,adds_per_cycle,other_ipc,gbs\n";
  for (const std::string& name : names) {
    const auto model = model::make_model(name);
    for (const double alpha : request.alphas) {
      const model::Mix mix = request.mix(alpha);
      if (!model->covers(request.gpu, mix)) continue;
      for (const double warps : request.warps) {
        const double ipc = model->predict(request.gpu, mix, warps);
        text += fmt::format("{},{},{},{},{},{},{},{},{}\n", name, csv_cell(request.gpu.name), request.options.mix,
                            alpha, warps, ipc, model::adds_per_cycle(mix, ipc), model::other_ipc(mix, ipc),
                            model::memory_gbs(request.gpu, mix, ipc));
      }
    }
  }
  return text;
}

std::string_view unit_text(const std::string& unit) {
  if (unit == "adds") return "additions per cycle and SM";
  if (unit == "other") return "loads, MUFU or LDS per cycle and SM";
  if (unit == "gbs") return "GB/s of the whole GPU";
  return "instructions per cycle and SM";
}

}  // namespace

std::vector<std::string> chosen_models(const std::string& names) {
  if (names == "all") return model::model_names();
  std::vector<std::string> chosen;
  for (std::size_t at = 0; at <= names.size();) {
    const std::size_t comma = std::min(names.find(',', at), names.size());
    chosen.push_back(names.substr(at, comma - at));
    model::make_model(chosen.back());
    at = comma + 1;
  }
  return chosen;
}

ExitStatus model_list() {
  for (const std::string& name : model::model_names()) {
    const auto model = model::make_model(name);
    show("{:<15} {}\n{:<15} {}\n", name, model->summary(), "", model->citation());
  }
  return ExitStatus::done;
}

ExitStatus model_predict(const ModelOptions& options) {
  check_outputs({options.config.config}, {{"--csv", options.csv}});
  const std::vector<std::string> names = chosen_models(options.names);
  const Request request{options};
  const model::HardwareParameters& gpu = request.gpu;
  show("{} ({})\n", gpu.name, gpu.source);
  const model::Instructions& other = gpu.other(request.kind);
  show("add {:g} cycles, {:g} IPC; {} {:.4g} cycles, {:.4g} IPC; issue {:g} IPC; peak of both at alpha {:.3g}\n",
       gpu.alu.latency, gpu.alu.throughput, options.mix, other.latency, other.throughput, gpu.issue_rate,
       gpu.alu.throughput / other.throughput);
  if (options.needed > 0) {
    show("\nwarps per SM for {:g} % of the peak\n{}", 100 * options.needed, needed_table(request, names));
  } else {
    for (const std::string& name : names)
      show("\n{}: {}\n{}", name, unit_text(options.unit), throughput_table(request, *model::make_model(name)));
  }
  if (!options.csv.empty()) write_durably(options.csv, csv_text(request, names));
  return ExitStatus::done;
}

}  // namespace sassim::cli
