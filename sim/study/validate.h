// SPDX-License-Identifier: Apache-2.0
// Judges what simulated microbenchmarks printed, and what the configuration states, against targets.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/config/gpu_config.h"
#include "sim/study/known_gaps.h"
#include "sim/study/provenance.h"
#include "sim/study/targets.h"

namespace sassim::study {

/// What one run of a program printed.
struct ProgramOutput {
  std::map<std::string, double, std::less<>> values;  ///< scalars by id
  std::string failure;                                ///< empty: it ended well
};

/// Reads lines {"id": ..., "value": ..., "unit": ...}; other lines and series are skipped.
std::map<std::string, double, std::less<>> read_values(std::string_view printed);

struct Outcome {
  Target target;
  std::optional<double> simulated;     ///< what the program printed, or what the configuration states
  std::optional<double> simulated_to;  ///< the upper end of a stated range
  std::string why_not;                 ///< when there is no simulated value
  std::string known_gap;               ///< why it is known to differ; empty: it should not
  bool contradiction = false;          ///< sources contradict each other there: right or wrong, it says nothing
  std::optional<double> exceeded;      ///< the bound of a known gap, in percent, where the error is larger
  Origin origin = Origin::predicted;
  std::string cited_by;  ///< the key whose comment cites a fitted row
  bool answered() const { return simulated && target.expected; }
  bool stated() const { return answered() && !target.key.empty(); }   ///< by the configuration: nothing was run
  bool measured() const { return answered() && target.key.empty(); }  ///< by a simulated program
  bool within() const;
  double error() const;  ///< signed and relative to the expected value (to 1 when that is 0); 0 where a bound is kept
};

/// How right rows are. Those on which sources contradict each other are in none.
struct Score {
  std::size_t rows = 0, within = 0;
  double mean_error = 0;  ///< absolute and relative
};

struct Validation {
  std::vector<Outcome> outcomes;
  Score score(Origin origin) const;
  std::size_t measured() const;
  std::size_t within() const;  ///< of the measured ones
  std::size_t stated() const;
  std::size_t stated_within() const;
  bool all_within() const;         ///< something was answered, and all of it is right but contradictions
  std::size_t known_gaps() const;  ///< answered, out of tolerance, within the bound of a known difference
  std::size_t contradictions() const;
  std::vector<std::string> stale_gaps;  ///< ids of known gaps that are within tolerance
  double mape() const;  ///< mean absolute relative error of the measured targets, without contradictions
};

/// Runs each program of the targets once through `run`, `jobs` at a time, started in order of first mention, and looks
/// up in `gpu` what the configuration states. The result does not depend on `jobs`. `run` must not throw. Throws
/// InputError for a target whose expression is wrong.
Validation validate(std::vector<Target> targets, const config::GpuConfig& gpu,
                    const std::function<ProgramOutput(const std::string& command)>& run, unsigned jobs = 1);

/// Says of each outcome whether it was stated, fitted or predicted.
void trace_origins(Validation& validation, const Citations& citations);

/// Marks the outcomes that `gaps` of this GPU explain and finds the stale ones.
void explain(Validation& validation, const std::vector<KnownGap>& gaps, std::string_view gpu);

/// The expected value as tables show it: "4", "32..128", "<= 6".
std::string expected_text(const Target&);
/// What was measured or stated: "4.1", "32..128".
std::string simulated_text(const Outcome&);

/// The numbers worth keeping, by group: published rows, hardware values, and each first word of an id.
nlohmann::ordered_json summary(const Validation&);

nlohmann::ordered_json to_json(const Validation&);
/// How many targets were measured, stated and neither, and how many of them are right: a few lines.
std::string totals(const Validation&);
std::string to_text(const Validation&, bool all);
std::string to_html(const Validation&, std::string_view title);

}  // namespace sassim::study
