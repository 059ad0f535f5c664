// SPDX-License-Identifier: Apache-2.0
// Judges what simulated microbenchmarks printed against targets.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/study/known_gaps.h"
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
  std::optional<double> simulated;
  std::string why_not;    ///< when there is no simulated value
  std::string known_gap;  ///< why it is known to differ; empty: it should not
  bool measured() const { return simulated && target.expected; }
  bool within() const { return measured() && target.tolerance.accepts(*target.expected, *simulated); }
  double error() const;  ///< signed and relative to the expected value (to 1 when that is 0)
};

struct Validation {
  std::vector<Outcome> outcomes;
  std::size_t measured() const;
  std::size_t within() const;
  std::size_t known_gaps() const;       ///< measured, out of tolerance and explained
  std::vector<std::string> stale_gaps;  ///< patterns of gaps whose measured targets are all within tolerance
  double mape() const;                  ///< mean absolute relative error of the measured targets
};

/// Runs each program of the targets once through `run`, `jobs` at a time, started in order of first mention. The result
/// does not depend on `jobs`. `run` must not throw.
Validation validate(std::vector<Target> targets, const std::function<ProgramOutput(const std::string& command)>& run,
                    unsigned jobs = 1);

/// Marks the outcomes that `gaps` of this GPU explain and finds the stale ones.
void explain(Validation& validation, const std::vector<KnownGap>& gaps, std::string_view gpu);

/// The numbers worth keeping, by group: published rows, hardware values, and each first word of an id.
nlohmann::ordered_json summary(const Validation&);

nlohmann::ordered_json to_json(const Validation&);
std::string to_text(const Validation&, bool all);
std::string to_html(const Validation&, std::string_view title);

}  // namespace sassim::study
