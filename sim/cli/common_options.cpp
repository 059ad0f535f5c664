// SPDX-License-Identifier: Apache-2.0
// Declares the options that several commands have, and reads the percentage of --sample.
#include "sim/cli/common_options.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <charconv>
#include <string>

#include "sim/base/cores.h"

namespace sassim::cli {

namespace {

constexpr double kLeastMean = 0.002;  ///< no stratum would be known better (cuda::LaunchStrata)

/// Of "2%" or "0.5%".
double share_of(const std::string& text, const char* option, const char* what) {
  double percent = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, percent);
  if (error != std::errc() || rest == end || *rest != '%' || rest + 1 != end || !(percent > 0 && percent < 100))
    throw CLI::ValidationError(option,
                               fmt::format("'{}' is no {}; give a percentage between 0% and 100%, as 2%", text, what));
  return percent / 100;
}

void exclude(CLI::App& command, CLI::Option& option, std::initializer_list<const char*> others) {
  // Not by App::get_option: it ends the process where memory is missing.
  for (CLI::Option* known : command.get_options([&](CLI::Option* each) {
         return std::ranges::any_of(others, [&](const char* other) { return each->check_name(other); });
       }))
    option.excludes(known);
}

}  // namespace

void add_threads(CLI::App& command, unsigned& threads) {
  command
      .add_option_function<unsigned>(
          "--threads", [&threads](unsigned asked) { threads = threads_on_cores(asked); },
          "number of host threads, at most one for each core; results do not depend on it")
      ->type_name("N")
      ->check(CLI::Range(1u, 1024u))
      ->default_str("1");
}

void add_sample(CLI::App& command, double& share, std::initializer_list<const char*> others) {
  CLI::Option* const sample =
      command
          .add_option_function<std::string>(
              "--sample",
              [&share](const std::string& text) { share = share_of(text, "--sample", "share of thread blocks"); },
              "time about this part of the thread blocks of each kernel that has a steady state: the first ones until "
              "throughput, DRAM traffic and contents of the L2 are steady, some at other places of the grid, and the "
              "last "
              "ones. The result has a 95 % interval for the cycles, or the reason why a kernel was simulated whole")
          ->type_name("P%");
  exclude(command, *sample, others);
}

void add_sample_launches(CLI::App& command, double& mean, std::initializer_list<const char*> others) {
  CLI::Option* const sample =
      command
          .add_option_function<std::string>(
              "--sample-launches",
              [&mean](const std::string& text) {
                mean = share_of(text, "--sample-launches", "interval");
                if (mean < kLeastMean)
                  throw CLI::ValidationError("--sample-launches", fmt::format("{} is finer than 64 launches can "
                                                                              "show; give 0.2% or more",
                                                                              text));
              },
              "execute every launch, but time those of one kernel, shape and about one number of warp instructions "
              "only "
              "until the 95 % interval of the mean of their cycles is plus and minus this, or smaller; the others "
              "count "
              "as one of these. Kernels then run one at a time")
          ->type_name("P%");
  exclude(command, *sample, others);
}

void add_no_skip(CLI::App& command, bool& reuse) {
  reuse = true;
  command.add_flag_callback(
      "--no-skip", [&reuse] { reuse = false; },
      "simulate every launch. By default, with cold caches, a launch that is equal to an earlier one (code, grid, "
      "addresses, control flow) gets its result, which is the same");
}

}  // namespace sassim::cli
