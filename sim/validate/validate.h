// SPDX-License-Identifier: Apache-2.0
// Compares the output of simulated microbenchmarks, and values of the configuration, with targets.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/config/forward.h"
#include "sim/validate/known_gaps.h"
#include "sim/validate/provenance.h"
#include "sim/validate/targets.h"

namespace sassim::validate {

/// The output of one run of a program.
struct ProgramOutput {
  std::map<std::string, double, std::less<>> values;  ///< scalars by id
  std::string failure;                                ///< empty if the program succeeded
};

/// Reads lines {"id": ..., "value": ..., "unit": ...} and skips other lines and series.
std::map<std::string, double, std::less<>> read_values(std::string_view printed);

struct Outcome {
  Target target;
  std::optional<double> simulated;     ///< the value that the program printed or the configuration has
  std::optional<double> simulated_to;  ///< the upper end of a range in the configuration
  std::string why_not;                 ///< why there is no simulated value
  std::string known_gap;               ///< why the value is known to differ; empty: no known gap
  bool contradiction = false;          ///< sources contradict each other: the row says nothing about the model
  std::optional<double> exceeded;      ///< the bound of a known gap, in percent, if the error is above it
  Origin origin = Origin::predicted;
  std::string cited_by;  ///< the key whose comment cites a fitted row
  bool answered() const { return simulated && target.expected; }
  bool stated() const { return answered() && !target.key.empty(); }  ///< answered by the configuration: nothing was run
  bool measured() const { return answered() && target.key.empty(); }  ///< answered by a simulated program
  bool within() const;
  double error() const;  ///< with sign, relative to the expected value (to 1 if that is 0); 0 if a bound is met
};

/// How accurate rows are. Rows with contradictory sources are not counted.
struct Score {
  std::size_t rows = 0, within = 0;
  double mean_error = 0;  ///< mean of the absolute relative errors
};

struct Validation {
  std::vector<Outcome> outcomes;
  Score score(Origin origin) const;
  std::size_t measured() const;
  std::size_t within() const;  ///< of the measured rows
  std::size_t stated() const;
  std::size_t stated_within() const;
  bool all_within() const;  ///< at least one row was answered, and all answered rows except contradictions are right
  std::size_t known_gaps() const;  ///< answered, out of tolerance, and within the bound of a known gap
  std::size_t contradictions() const;
  std::vector<std::string> stale_gaps;  ///< ids of known gaps whose rows are now within tolerance
  double mape() const;  ///< mean absolute relative error of the measured targets, without contradictions
};

/// Runs each program of the targets once through `run`, `jobs` at a time, in order of first mention, and evaluates in
/// `gpu` what the configuration answers. The result does not depend on `jobs`. `run` must not throw. Throws InputError
/// for a target with a wrong expression.
Validation validate(std::vector<Target> targets, const config::GpuConfig& gpu,
                    const std::function<ProgramOutput(const std::string& command)>& run, unsigned jobs = 1);

/// Sets each outcome's origin: echo, fitted or predicted.
void trace_origins(Validation& validation, const Citations& citations);

/// Marks the outcomes that known gaps of this GPU explain, and finds gaps that no longer exist.
void explain(Validation& validation, const std::vector<KnownGap>& gaps, std::string_view gpu);

/// The expected value for tables: "4", "32..128", "<= 6".
std::string expected_text(const Target&);
/// The simulated value for tables: "4.1", "32..128".
std::string simulated_text(const Outcome&);

/// The numbers to keep, by group: published rows, hardware values, and each first word of the ids.
nlohmann::ordered_json summary(const Validation&);

nlohmann::ordered_json to_json(const Validation&);
/// A few lines: how many targets were measured, stated or unanswered, and how many are right.
std::string totals(const Validation&);
std::string to_text(const Validation&, bool all);
std::string to_html(const Validation&, std::string_view title);

}  // namespace sassim::validate
