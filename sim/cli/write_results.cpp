// SPDX-License-Identifier: Apache-2.0
// Passes each kernel's report to the files and the terminal that `sassim run` or `exec` writes to.
#include "sim/cli/write_results.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "arch/sm/common/stall_reason.h"
#include "sim/base/demangle.h"
#include "sim/base/durable_file.h"
#include "sim/base/printable.h"
#include "sim/cli/command_line.h"
#include "sim/cli/standard_streams.h"
#include "sim/report/number_text.h"
#include "sim/validate/expected_error.h"

namespace sassim::cli {

namespace {

const auto kCommandBegan = std::chrono::steady_clock::now();

constexpr std::size_t kMostNames = 5;  ///< of kernels in a message

std::vector<std::pair<std::string, std::string>> stall_meanings() {
  std::vector<std::pair<std::string, std::string>> all;
  for (std::size_t r = 0; r < arch::kStallReasons; ++r) {
    const arch::StallRow& row = arch::stall_row(static_cast<arch::StallReason>(r));
    all.emplace_back(row.name, row.meaning);
  }
  return all;
}

}  // namespace

report::RunReport labelled(report::RunReport run) {
  run.commit = built_from();
  return run;
}

void ResultOptions::add_to(CLI::App& command) {
  CLI::Option* whole = command.add_option("--json", json, "write everything: configuration, metrics, stalls per line")
                           ->type_name("FILE");
  command
      .add_flag("--compact-json", compact_json,
                "in --json, the metrics of a launch that has those of the launch before are values without names")
      ->needs(whole);
  command.add_option("--csv", csv, "write the metrics, one per line")->type_name("FILE");
  command
      .add_option("--csv-ncu", csv_ncu,
                  "write the metrics of Nsight Compute as ncu --csv --page raw does: a row for each launch")
      ->type_name("FILE");
  command
      .add_option(
          "--host-json", host_json,
          "write values that differ from run to run: seconds of the timing model and of the whole command, warp "
          "instructions per second of both, threads, memory")
      ->type_name("FILE");
  command
      .add_option("--html", html,
                  "write a page with charts, for any browser; the counters over time are in --json, too")
      ->type_name("FILE");
  command.add_option("--csv-source", csv_source, "write every line of SASS of every launch, with its stalls")
      ->type_name("FILE");
  command
      .add_option("--report", report,
                  "where to print the report: stdout, stderr, none, or a file, apart from what a program prints")
      ->type_name("stdout|stderr|none|FILE")
      ->capture_default_str();
  command
      .add_option(
          "--page", page,
          "what to print. details: a report of each launch; source: every SASS line of each launch; launches: one line "
          "per launch; auto: launches if there are several, otherwise details")
      ->check(CLI::IsMember({"auto", "details", "source", "launches"}))
      ->capture_default_str();
  command
      .add_option("--kernel", launches.kernel,
                  "report only kernels in whose demangled name this regular expression matches (docs/patterns.md)")
      ->type_name("REGEX");
  command.add_option("--launch-skip", launches.skip, "leave the first N of the matching launches out of the report")
      ->type_name("N");
  command.add_option("--launch-count", launches.count, "report at most this many launches; 0: all")->type_name("N");
  command.add_flag("--mangled", mangled, "print the mangled names of kernels");
  command.add_flag("--metrics", metrics, "print every metric, not only the overview");
  command.add_option("--lines", lines, "SASS lines to show per launch: those with the most warp cycles")
      ->type_name("N")
      ->capture_default_str();
}

namespace {

report::TerminalOptions terminal_options(const ResultOptions& options, const report::RunReport& run,
                                         const config::LoadedConfig& loaded) {
  report::TerminalOptions terminal;
  terminal.hot_lines = options.lines;
  terminal.all_metrics = options.metrics;
  const int stream = options.report == "stderr" ? STDERR_FILENO : STDOUT_FILENO;
  terminal.for_people = options.report_file().empty() && isatty(stream) == 1;
  terminal.mangled = options.mangled;
  const auto error = validate::expected_error(run.config_name, run.caches);
  if (error) terminal.expected_error = error->mean;
  terminal.caches = run.caches;
  terminal.trust = validate::trust_sentence(error, loaded, run.config_name, run.caches);
  return terminal;
}

}  // namespace

ResultOutput::ResultOutput(const ResultOptions& options, const report::RunReport& run,
                           const config::LoadedConfig& loaded)
    : options_(options),
      gpu_(run.config_name),
      choice_(options.launches),
      terminal_(terminal_options(options, run, loaded)),
      launches_(terminal_) {
  if (!options.json.empty())
    json_.emplace(options.json, run, options.compact_json ? report::KernelForm::compact : report::KernelForm::whole);
  if (!options.csv.empty()) csv_.emplace(options.csv);
  if (!options.html.empty()) page_.emplace(run, stall_meanings(), terminal_.expected_error, terminal_.trust);
  if (!options.csv_ncu.empty()) ncu_.emplace(options.csv_ncu, run.config_name, run.arch);
  if (!options.csv_source.empty()) source_.emplace(options.csv_source);
  if (!options.report_file().empty()) report_.emplace(options.report_file());
  // If the reader of standard output ends, the files are still written.
  if (json_ || csv_ || ncu_ || source_ || page_) std::signal(SIGPIPE, SIG_IGN);
}

template <class Stream, class Work>
void ResultOutput::write(std::optional<Stream>& stream, Work work) {
  if (!stream) return;
  try {
    work(*stream);
  } catch (const Error& error) {
    stream.reset();
    lose(error);
  }
}

void ResultOutput::lose(const Error& error) {
  if (lost_) return;
  lost_ = error;
  say(fmt::format("sassim: {}; the run continues without it\n", printable(error.what())).c_str());
}

void ResultOutput::print(const std::string& text) {
  if (!printing_ || options_.report == "none") return;
  if (options_.report == "stderr") return say(printable_lines(text, std::string::npos).c_str());
  if (options_.report != "stdout")
    return write(report_, [&](auto& file) { file.write(printable_lines(text, std::string::npos)); });
  try {
    cli::show(text);
  } catch (const std::system_error&) {
    // Requested files are still written; main() reports the failure of standard output.
    if (!output_failed() || (!json_ && !csv_ && !ncu_ && !source_)) throw;
    printing_ = false;
  }
}

/// Choosing kernels changes no numbers: all kernels are simulated, unless the others did not come here.
bool ResultOutput::chosen(const report::KernelReport& kernel) {
  const std::string name = demangled(kernel.name);
  if (options_.chosen_before) return true;
  if (!choice_.matches(name)) {
    if (other_names_.size() <= kMostNames) other_names_.insert(without_parameters(name));
    return false;
  }
  return choice_.take();
}

void ResultOutput::show_details(const report::KernelReport& kernel) {
  print(report::kernel_text(kernel, gpu_, terminal_));
}

/// The first launch is kept back: a single launch is shown in detail, several launches as one line each.
void ResultOutput::show(const report::KernelReport& kernel) {
  ++shown_;
  if (options_.report == "none") return;
  if (options_.page == "details") return show_details(kernel);
  if (options_.page == "source")
    return print(report::kernel_head(kernel, gpu_, terminal_) + report::source_text(kernel) + "\n");
  if (options_.page == "auto" && shown_ == 1) {
    first_ = kernel;
    return;
  }
  if (first_ || shown_ == 1) print(launches_.head());
  if (first_) print(launches_.line(*std::exchange(first_, std::nullopt)));
  print(launches_.line(kernel));
}

void ResultOutput::add(const report::KernelReport& kernel) {
  ++kernels_;
  if (!chosen(kernel)) return;
  show(kernel);
  write(json_, [&](auto& file) { file.add(kernel); });
  write(csv_, [&](auto& file) { file.add(kernel); });
  write(ncu_, [&](auto& file) { file.add(kernel); });
  write(source_, [&](auto& file) { file.add(kernel); });
  if (page_) page_->add(kernel);
}

std::string ResultOutput::why_none() const {
  const LaunchWish& wish = options_.launches;
  if (choice_.matching() != 0)
    return fmt::format("--launch-skip {} leaves out {}{}", wish.skip,
                       choice_.matching() == 1 ? "the only launch" : fmt::format("all {} launches", choice_.matching()),
                       wish.kernel.empty() ? "" : fmt::format(" that --kernel '{}' matches", wish.kernel));
  std::vector<std::string> names(other_names_.begin(), other_names_.end());
  const bool more = names.size() > kMostNames;
  if (more) names.back() = "...";
  return fmt::format("--kernel '{}' matches none of {}; kernels: {}", wish.kernel,
                     report::count_text(kernels_, "launch"), printable(fmt::format("{}", fmt::join(names, ", "))));
}

void ResultOutput::finish(bool complete, const report::HostReport& host, nlohmann::ordered_json more,
                          const std::optional<report::RunningKernel>& running) {
  if (first_) show_details(*std::exchange(first_, std::nullopt));
  if (kernels_ != 0 && shown_ == 0) say(("sassim: no launch is reported: " + printable(why_none()) + "\n").c_str());
  if (shown_ > 1 && (options_.page == "auto" || options_.page == "launches"))
    print(launches_.totals() + report::conditions_text(terminal_, "each kernel's") + "\n");
  const std::string partial = complete ? "" : report::partial_text(kernels_, running, options_.mangled);
  if (running) more["running"] = to_json(*running);
  if (!complete) {
    if (kernels_ != 0 || running)
      print(partial + "\n");  // otherwise nothing is there that could be taken for the whole
    write(csv_, [&](auto& file) { file.stopped(running); });
    write(ncu_, [&](auto& file) { file.stopped(partial); });
    write(source_, [&](auto& file) { file.stopped(running ? running->name : "", partial); });
  }
  write(json_, [&](auto& file) { file.finish(complete, more); });
  write(csv_, [](auto& file) { file.finish(); });
  write(ncu_, [](auto& file) { file.finish(); });
  write(source_, [](auto& file) { file.finish(); });
  write(report_, [](auto& file) { file.commit(); });
  write(page_, [&](auto& page) { write_durably(options_.html, page.finish(complete, partial)); });
  try {
    if (!options_.host_json.empty()) {
      nlohmann::ordered_json all = to_json(host);
      const double command = std::chrono::duration<double>(std::chrono::steady_clock::now() - kCommandBegan).count();
      all["command_seconds"] = command;
      all["command_warp_instructions_per_second"] = static_cast<double>(host.warp_instructions) / command;
      all.update(host_);
      write_durably(options_.host_json, all.dump(1) + "\n");
    }
  } catch (const Error& error) {
    lose(error);
  }
  if (lost_) throw Error(lost_->status(), fmt::format("not every result could be written: {}", lost_->what()));
}

}  // namespace sassim::cli
