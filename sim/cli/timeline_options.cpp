// SPDX-License-Identifier: Apache-2.0
// Declares and checks the timeline options, records a run for them, writes their files.
#include "sim/cli/timeline_options.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <sstream>

#include "sim/base/durable_file.h"
#include "sim/base/error.h"
#include "sim/base/number_list.h"
#include "sim/base/printable.h"
#include "sim/base/suggest.h"
#include "sim/config/gpu_config.h"
#include "sim/stats/counter.h"
#include "sim/timeline/perfetto.h"

namespace sassim::cli {

namespace {

constexpr std::size_t kIntervals = 512;    ///< intervals per kernel for counters
constexpr std::uint64_t kSpans = 200'000;  ///< in --timeline, if no other number was asked for

std::set<std::uint32_t> chosen(const std::string& list, const char* option, std::uint32_t count, const char* what) {
  std::set<std::uint32_t> all;
  if (list.empty()) return all;
  for (const long long chosen_index : parse_integer_list(list, option, 0)) {
    if (chosen_index >= count) throw UsageError("{} {}: the GPU has {} 0 to {}", option, chosen_index, what, count - 1);
    all.insert(static_cast<std::uint32_t>(chosen_index));
  }
  return all;
}

std::vector<std::string> names_of_counts() {
  std::vector<std::string> names;
  for (const stats::Counter counter : stats::counters())
    if (counter.row().kind == stats::CounterKind::count) names.push_back(counter.row().name);
  return names;
}

timeline::Window window_of(const std::string& text) {
  timeline::Window window;
  if (text.empty()) return window;
  const std::size_t colon = text.find(':');
  const auto parse_cycle = [&](std::string_view part, std::uint64_t otherwise) {
    if (part.empty()) return otherwise;
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (error != std::errc() || end != part.data() + part.size())
      throw UsageError("--window {}: expected FROM:TO, two numbers of cycles", text);
    return value;
  };
  if (colon == std::string::npos) throw UsageError("--window {}: expected FROM:TO, two numbers of cycles", text);
  window.from = Cycle(parse_cycle(std::string_view(text).substr(0, colon), 0));
  window.until = Cycle(parse_cycle(std::string_view(text).substr(colon + 1), kNever.value));
  if (window.from >= window.until) throw UsageError("--window {}: it ends before it begins", text);
  return window;
}

/// The counters of every timeline, and those of the list.
std::vector<stats::Count> counters_of(const std::string& list) {
  std::vector<stats::Count> all = arch::usual_series();
  std::istringstream in(list);
  for (std::string name; std::getline(in, name, ',');) {
    if (!stats::has_counter(name))
      throw UsageError("--timeline-counters {}: there is no such metric{}; 'sassim metrics' lists all", name,
                       did_you_mean(name, names_of_counts()));
    const stats::Counter counter = stats::find_counter(name);
    if (counter.row().kind != stats::CounterKind::count)
      throw UsageError(
          "--timeline-counters {}: it has a value at the end of a launch only; choose a metric of the kind 'count' "
          "('sassim metrics')",
          name);
    if (std::find(all.begin(), all.end(), counter) == all.end()) all.emplace_back(counter);
  }
  return all;
}

}  // namespace

void TimelineOptions::add_to(CLI::App& command) {
  const char* group = "Timelines";
  const CLI::Validator at_least_one(
      [](const std::string& text) { return std::string(text == "0" ? "0 is too small; the smallest is 1" : ""); }, "",
      "at least one");
  command
      .add_option("--timeline", timeline,
                  "write where and when thread blocks and warps ran, with counters, for ui.perfetto.dev")
      ->type_name("FILE")
      ->group(group);
  command.add_option("--konata", konata, "write the stages of each warp instruction, for the pipeline viewer Konata")
      ->type_name("FILE")
      ->group(group);
  command.add_option("--vcd", vcd, "write the main signals of one SM, cycle by cycle, for GTKWave")
      ->type_name("FILE.vcd")
      ->group(group);
  command
      .add_option("--window", window,
                  "show only these cycles, counted from the start of the first launch; FROM or TO may be left out")
      ->type_name("FROM:TO")
      ->group(group);
  command
      .add_option("--sms", sms,
                  "show only these SMs; default: all in --timeline, the SM of the first thread block in --konata")
      ->type_name("LIST")
      ->group(group);
  command
      .add_option(
          "--warps", warps,
          "numbers of warp slots in each SM: --timeline shows the states of these warps (default: 0..3, one per "
          "processing block), --konata shows only these warps")
      ->type_name("LIST")
      ->group(group);
  command.add_option("--vcd-sm", vcd_sm, "the SM that --vcd shows; default: the SM of the first thread block")
      ->type_name("N")
      ->group(group);
  command
      .add_option("--interval", interval,
                  "cycles between two values of a counter in --timeline; doubled until a kernel has at most 512 values")
      ->type_name("N")
      ->check(at_least_one)
      ->group(group);
  command
      .add_option("--timeline-counters", counters,
                  "metrics that --timeline shows over time beside the usual ones, separated by commas: any of the kind "
                  "'count' (sassim metrics)")
      ->type_name("NAMES")
      ->group(group);
  command
      .add_option("--timeline-spans", spans,
                  fmt::format("keep about this many spans in --timeline; if there are more, the shortest are merged; "
                              "default: {}",
                              kSpans))
      ->type_name("N")
      ->check(at_least_one)
      ->group(group);
}

void TimelineOptions::check() const {
  const auto needs = [](bool given, const char* option, std::initializer_list<std::pair<const char*, bool>> files) {
    std::string names;
    for (const auto& [name, asked] : files) {
      if (asked) return;
      names += fmt::format("{}{}", names.empty() ? "" : " or ", name);
    }
    if (given)
      throw UsageError("{} chooses what {} shows, which is not given: add it, or leave {} out", option, names, option);
  };
  const std::pair<const char*, bool> perfetto{"--timeline", !timeline.empty()}, pipeline{"--konata", !konata.empty()},
      signals{"--vcd", !vcd.empty()};
  needs(!window.empty(), "--window", {perfetto, pipeline, signals});
  needs(!sms.empty(), "--sms", {perfetto, pipeline});
  needs(!warps.empty(), "--warps", {perfetto, pipeline});
  needs(vcd_sm.has_value(), "--vcd-sm", {signals});
  needs(interval.has_value(), "--interval", {perfetto});
  needs(!counters.empty(), "--timeline-counters", {perfetto});
  needs(spans.has_value(), "--timeline-spans", {perfetto});
}

TimelineOutput::TimelineOutput(const TimelineOptions& options, const config::GpuConfig& gpu)
    : options_(options), gpu_(gpu) {
  options.check();
  timeline::Selection selection;
  selection.window = window_of(options.window);
  window_start_ = selection.window.from;
  selection.sms = chosen(options.sms, "--sms", gpu.sm.count, "the SMs");
  selection.warps = chosen(options.warps, "--warps", gpu.sm.occupancy.warps, "in each SM the warp slots");
  if (!options.konata.empty())
    pipeline_ = std::make_unique<timeline::PipelineLog>(selection, gpu.sm.count, options.instructions);
  if (!options.vcd.empty()) {
    const std::uint64_t first = gpu.launch.sm_order.empty() ? 0 : gpu.launch.sm_order.front();
    const auto sm = static_cast<std::uint16_t>(options.vcd_sm.value_or(static_cast<std::uint32_t>(first)));
    if (options.vcd_sm.value_or(0) >= gpu.sm.count)
      throw UsageError("--vcd-sm {}: the GPU has the SMs 0 to {}", *options.vcd_sm, gpu.sm.count - 1);
    if (!options.vcd.ends_with(".vcd")) throw UsageError("--vcd {}: the name must end in .vcd", options.vcd);
    signals_ = arch::SignalFile{options.vcd, SmId(sm), selection.window.from, selection.window.until};
  }
  if (!options.timeline.empty()) {
    counters_ = counters_of(options.counters);
    if (options.warps.empty())
      for (std::uint32_t place = 0; place < gpu.sm.processing_blocks; ++place) selection.warps.insert(place);
    recorder_ = std::make_unique<timeline::Recorder>(selection, gpu.sm.count, options.spans.value_or(kSpans));
  }
}

void TimelineOutput::watch(arch::RunOptions& run) {
  both_.emplace(recorder_.get(), pipeline_.get());
  run.pipeline = both_->observer();
  if (signals_) run.signals = &*signals_;
  if (!recorder_) return;
  run.series = kIntervals;
  run.series_counters = counters_;
  run.series_interval = options_.interval.value_or(0);
}

bool TimelineOutput::ended_before_window(Cycle end) const {
  if (window_start_ < end || end == Cycle{}) return false;
  std::string files;
  for (const NamedFile& file : options_.files())
    if (!file.path.empty()) files += fmt::format("{}{}", files.empty() ? "" : ", ", file.path.string());
  fmt::print(stderr, "sassim: nothing was recorded in {}: the run ended at cycle {}, and --window begins at cycle {}\n",
             printable(files), end.value, window_start_.value);
  return true;
}

void TimelineOutput::finish(Cycle end) {
  const bool before_window = ended_before_window(end);
  if (recorder_) {
    DurableFile file(options_.timeline);
    timeline::write_perfetto(*recorder_, {gpu_.sm.count, gpu_.sm.occupancy.warps, gpu_.sm.processing_blocks},
                             [&](std::string_view text) { file.write(text); });
    file.commit();
  }
  if (!pipeline_) return;
  DurableFile file(options_.konata);
  pipeline_->write([&](std::string_view text) { file.write(text); });
  file.commit();
  if (pipeline_->full())
    fmt::print(stderr, "sassim: {}: has only the first {} instructions; --window, --sms and --warps choose others\n",
               printable(options_.konata), pipeline_->instructions());
  if (pipeline_->instructions() == 0 && !before_window)
    fmt::print(stderr, "sassim: {}: no instruction issued in that window on those SMs\n", printable(options_.konata));
}

}  // namespace sassim::cli
