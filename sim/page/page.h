// SPDX-License-Identifier: Apache-2.0
// The HTML pages that commands write with --html: each is one file, which any browser shows without a network, light or
// dark. page() makes one of any command's data, RunPage that of `sassim run` and `exec`. The scripts are in web/.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/report/launch_list.h"
#include "sim/report/result.h"

namespace sassim::page {

/// The whole page. `data` is what web/90_main.js reads; its text may hold anything.
std::string page(std::string_view title, const nlohmann::ordered_json& data);

/// Names of files for a page, which is given to others: without folders, except those that tell two files apart.
std::vector<std::string> file_names(const std::vector<std::string>& paths);

/// The page of a run: a row for every launch with its demangled name, and all details of the longest ones.
class RunPage {
 public:
  static constexpr std::size_t kMostDetails = 200;  ///< launches

  /// `run` says which GPU; `meanings`: of each stall reason, a sentence; `expected_error`: of the cycles, in percent;
  /// `trust`: a sentence about it.
  RunPage(const report::RunReport& run, std::vector<std::pair<std::string, std::string>> meanings,
          std::optional<double> expected_error = {}, std::string trust = {});
  void add(const report::KernelReport& kernel);
  /// `partial`: a sentence about the end of a run that was stopped.
  std::string finish(bool complete, const std::string& partial = {}) const;

 private:
  std::string config_name_, config_hash_, config_json_, caches_;
  std::vector<std::pair<std::string, std::string>> meanings_;
  std::optional<double> expected_error_;
  std::string trust_;
  report::LaunchTotals totals_;
  std::vector<std::string> rows_;                       ///< a row of JSON for each launch
  std::map<std::size_t, report::KernelReport> kept_;    ///< by number of the launch
  std::set<std::pair<double, std::size_t>> by_length_;  ///< of those kept; a later one of equal length goes first
};

}  // namespace sassim::page
