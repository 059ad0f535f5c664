// SPDX-License-Identifier: Apache-2.0
// sassim sweep: throughput of generated kernels over occupancy and arithmetic intensity, beside what analytic models
// predict
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>

#include "sim/base/data_folder.h"
#include "sim/base/number_list.h"
#include "sim/cli/campaign_options.h"
#include "sim/cli/command_line.h"
#include "sim/cli/config_options.h"
#include "sim/cli/model_actions.h"
#include "sim/cli/standard_streams.h"
#include "sim/plot/plot.h"
#include "sim/sweep/sweep.h"
#include "sim/validate/targets.h"

namespace sassim::cli {

namespace {

struct SweepArguments {
  ConfigOptions gpu;
  CampaignCommand campaign;
  std::string workload = "memory", access = "stream", alpha = "0,1,2,4..512", warps, models;
  std::string hardware;
  std::uint32_t ilp = 1;
  bool as_measured = false;
};

model::MixKind kind_of(const std::string& workload) {
  if (workload == "memory") return model::MixKind::mem;
  if (workload == "shared") return model::MixKind::smem;
  return model::mix_kind(workload);
}

sweep::SweepPlan plan_of(const SweepArguments& parsed) {
  sweep::SweepPlan plan;
  plan.gpu = std::make_shared<config::GpuConfig>(parsed.gpu.load());
  plan.mix.kind = kind_of(parsed.workload);
  plan.mix.pattern = sweep::access_pattern(parsed.access == "stream" ? "streaming" : parsed.access);
  plan.mix.ilp = parsed.ilp;
  plan.mix.as_measured = parsed.as_measured;
  plan.alphas = parse_number_list(parsed.alpha, "--alpha");
  const std::uint32_t step = plan.gpu->sm.processing_blocks, most = plan.gpu->sm.occupancy.warps;
  const std::string warps = parsed.warps.empty() ? fmt::format("{0}..{1}:{0}", step, most) : parsed.warps;
  for (const long long n : parse_integer_list(warps, "--warps", 1)) {
    if (n > most) throw UsageError("--warps: {} is more than an SM of {} holds ({})", n, plan.gpu->name, most);
    plan.warps.push_back(static_cast<std::uint32_t>(n));
  }
  return plan;
}

/// The file that the user named, else the GPU's file among the data that came with the program; empty if there is none.
std::string hardware_file(const SweepArguments& parsed, const std::string& gpu) {
  if (!parsed.hardware.empty()) return parsed.hardware == "none" ? "" : parsed.hardware;
  for (const std::string& folder : data_folders("validation", "SASSIM_VALIDATION")) {
    const std::string file = validate::hardware_file(folder, gpu);
    if (!file.empty()) return file;
  }
  return "";
}

void add_hardware(sweep::Sweep& sweep, const SweepArguments& parsed) {
  const std::string file = hardware_file(parsed, sweep.plan.gpu->name);
  if (file.empty()) return;
  sweep.hardware = sweep::hardware_curves(sweep.plan, file);
  if (sweep.hardware.empty())
    sweep.notes.push_back(file + " has no full run (full=1) of this mix at these points" +
                          (sweep.plan.mix.kind == model::MixKind::mem && !parsed.as_measured
                               ? " with 32-bit loads; --as-measured simulates the form that was run"
                               : ""));
}

ExitStatus sweep(SweepArguments& parsed) {
  plot::check_png();
  sweep::Sweep sweep;
  sweep.plan = plan_of(parsed);
  if (!parsed.models.empty()) sweep.models = chosen_models(parsed.models);
  add_hardware(sweep, parsed);
  const auto collect = [&](const campaign::CampaignOutcome& outcome) {
    for (const campaign::PointOutcome& point : outcome.points)
      if (point.state == campaign::PointState::done) sweep.points.push_back(sweep::mix_point_from_json(point.result));
  };
  const auto partial = [&](const campaign::CampaignOutcome& outcome) {
    collect(outcome);
    if (sweep.points.empty()) return;
    sweep.complete = false;
    sweep::set_parameters(sweep);
    sweep::write_sweep_points(sweep, parsed.campaign.out());
  };
  const campaign::CampaignOutcome outcome = parsed.campaign.run("sweep", sweep::sweep_points(sweep.plan), partial);
  collect(outcome);
  if (sweep.points.empty()) throw InputError("sweep: no point could be simulated; {}", outcome.points.front().error);
  sweep::set_parameters(sweep);
  if (std::string note = sweep::left_out_models(sweep); !note.empty()) sweep.notes.push_back(std::move(note));
  show("{}", sweep::sweep_text(sweep));
  sweep::write_sweep(sweep, parsed.campaign.out());
  show("written to {}: index.html, points.csv, points.json, errors.csv, and each plot as SVG and PNG\n",
       parsed.campaign.out());
  return outcome.failed == 0 ? ExitStatus::done : ExitStatus::check_failed;
}

/// The points of a sweep, one after the other in this process, and what their curve says, in the format of the programs
/// in validation/programs/micro: `sassim validate` starts this command.
ExitStatus mix(const SweepArguments& parsed) {
  std::vector<sweep::MixPoint> points;
  for (const campaign::Point& point : sweep::sweep_points(plan_of(parsed)))
    points.push_back(sweep::mix_point_from_json(
        Registry<campaign::PointKind>::instance().make(point.kind)->run(*point.config, point)));
  for (const auto& [id, value] : sweep::curve_values(points))
    fmt::print("{{\"id\": \"{}\", \"value\": {:.6g}}}\n", id, value);
  return ExitStatus::done;
}

/// What to run; everything that `mix` has too.
void add_plan(CLI::App* command, const std::shared_ptr<SweepArguments>& parsed) {
  parsed->gpu.add_to(*command);
  command
      ->add_option("--workload,--mix", parsed->workload,
                   "instruction that is mixed with the adds: memory (loads), sfu (MUFU.RSQ), shared (LDS)")
      ->check(CLI::IsMember({"memory", "mem", "sfu", "shared", "smem"}))
      ->capture_default_str();
  command->add_option("--access", parsed->access, "access pattern of loads: stream, stride2, random")
      ->check(CLI::IsMember({"stream", "streaming", "stride2", "random"}))
      ->capture_default_str();
  command->add_option("--ilp", parsed->ilp, "independent chains in each warp: 1, 2 or 4")
      ->check(CLI::IsMember({1, 2, 4}))
      ->capture_default_str();
  command->add_option("--alpha", parsed->alpha, "adds per load: whole numbers, their reciprocals such as 0.5, or inf")
      ->type_name("LIST")
      ->capture_default_str();
  command
      ->add_option("--warps", parsed->warps, "warps per SM, such as 4..64:4; default: every whole number per scheduler")
      ->type_name("LIST");
  command->add_flag("--as-measured", parsed->as_measured,
                    "simulate the mix of validation/programs/micro/volkov_mix.cu, to compare with hardware");
}

void add_sweep(CLI::App& program, Action& action) {
  const auto parsed = std::make_shared<SweepArguments>();
  CLI::App* command = program.add_subcommand(
      "sweep", "throughput over occupancy for a mix of one load (or MUFU, or LDS) and alpha dependent adds");
  add_plan(command, parsed);
  command->add_option("--models", parsed->models, "also draw analytic models: names separated by commas, or all")
      ->type_name("NAMES");
  command
      ->add_option("--hardware", parsed->hardware,
                   "results of a real GPU, written by tools/measure; default: the results that come with sassim, if "
                   "there are any")
      ->type_name("FILE");
  parsed->campaign.add_to(*command);
  command->callback([&action, parsed] { action = [parsed] { return sweep(*parsed); }; });
}

void add_mix(CLI::App& program, Action& action) {
  const auto parsed = std::make_shared<SweepArguments>();
  CLI::App* command = program.add_subcommand("mix", "what the curve of a sweep says (sassim validate does this)");
  command->group("");  // hidden from the help
  add_plan(command, parsed);
  command->callback([&action, parsed] { action = [parsed] { return mix(*parsed); }; });
}

const Command sweep_command(40, add_sweep);
const Command mix_command(92, add_mix);

}  // namespace

}  // namespace sassim::cli
