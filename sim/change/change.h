// SPDX-License-Identifier: Apache-2.0
// Two runs of the same kernels, before a change and after it: which cycles went, and which causes, waits, counters and
// lines of code they went with.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/report/bound.h"
#include "sim/report/result.h"

namespace sassim::change {

/// A number of both runs.
struct Change {
  std::string name;
  double before = 0, after = 0;
  double difference() const { return after - before; }
  /// In percent of the value before; 0 if both are 0, and infinite if only that one is.
  double percent() const;
};

/// What a cause costs, in cycles, by the estimates of the report (sim/report/bound_estimates.h).
struct CauseChange {
  report::Cause cause = report::Cause::unknown;
  double before = 0, after = 0;
};

/// Warp cycles that were lost at a line of code. A line that one run alone has counts 0 in the other one.
struct LineChange {
  std::string before_place, after_place;  ///< "0240", or "scale.cu:12"; empty: the run has no such line
  std::string text;                       ///< SASS of the line before, or of one that is new; empty: a line of CUDA
  double before = 0, after = 0;
};

struct KernelChange {
  std::string name;                       ///< without parameters
  std::string name_after;                 ///< of a kernel that was renamed; empty: the same
  std::size_t launch = 0;                 ///< number of this launch among those of the same name, from 0
  Change cycles, duration;                ///< duration in ns
  std::string first_before, first_after;  ///< phrases of the first cause that each run names; empty: none
  std::vector<CauseChange> causes;        ///< the largest difference first
  std::vector<Change> waits;     ///< by reason, percent of the cycles of the run before; the largest difference first
  std::vector<Change> counters;  ///< metrics that a program can move, if they changed
  std::vector<Change> metrics;   ///< all that changed
  std::vector<std::string> unchanged;  ///< metrics of both runs that did not
  std::vector<LineChange> sass,
      cuda;  ///< the largest difference first; cuda is empty if a run does not know the source
};

struct Comparison {
  std::vector<KernelChange> kernels;
  std::vector<std::string> only_before, only_after;
  std::vector<std::pair<std::string, std::string>> renamed;  ///< before, after: found, not given
  Change cycles() const;                                     ///< of all kernels that both have
};

/// Pairs of names: before, after.
using Renames = std::vector<std::pair<std::string, std::string>>;

/// Joins the k-th launches of each name. If one name is left on each side, with as many launches, it was renamed.
/// Throws InputError if a rename names no kernel.
Comparison compare(const std::vector<report::KernelReport>& before, const std::vector<report::KernelReport>& after,
                   const Renames& renames);

/// Keys of two resolved configurations that differ: "key: before -> after".
std::vector<std::string> different_keys(const std::string& before_json, const std::string& after_json);

/// For a terminal. `every_metric`: all that changed, not only the most telling ones.
std::string to_text(const Comparison& comparison, bool every_metric);
nlohmann::ordered_json to_json(const Comparison& comparison);

/// What a page says beside the comparison.
struct PageWords {
  std::string before, after;            ///< which runs: file, configuration, caches
  std::vector<std::string> notes = {};  ///< what makes the runs hard to compare
  std::vector<std::string> keys = {};   ///< as different_keys()
};

/// A page for a browser.
std::string to_html(const Comparison& comparison, const PageWords& words);

/// "-37.5 %", "no change", "from 0".
std::string percent_text(const Change& change);

}  // namespace sassim::change
