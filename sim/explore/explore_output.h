// SPDX-License-Identifier: Apache-2.0
// The files and texts that sassim explore writes.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/explore/explore.h"
#include "sim/plot/plot.h"

namespace sassim::explore {

/// done, failed or missing
const char* state_name(campaign::PointState state);

/// One row per variant, or per variant and kernel if there are several kernels: the variant's values, its state (done,
/// failed or missing), the kernel and every metric.
std::string points_csv(const Explored& explored);
/// All results, schema "sassim-points/1". The same study gives the same bytes, however often it was interrupted.
std::string points_json(const Explored& explored);
/// One row per idealisation, the largest saving of cycles first.
std::string what_if_csv(const Explored& explored);
/// cache,capacity_bytes,hit_rate
std::string miss_curves_csv(const MissCurves& curves);

std::vector<plot::NamedPlot> explore_plots(const Explored& explored);

/// "1.5 MiB"
std::string amount(double bytes);

/// The report on the terminal.
std::string explore_text(const Explored& explored);
/// What follows from the results, in sentences: which value stops paying, what limits, how much a larger cache can
/// find.
std::vector<std::string> findings(const Explored& explored);
/// The results and what follows from them, as one page that needs no other file. It leaves out how many points this run
/// simulated, so that it is the same after an interruption.
std::string explore_html(const Explored& explored);

/// Writes only points.csv and points.json, for a study that was stopped.
void write_explored_points(const std::filesystem::path& folder, const Explored& explored);

/// Writes all files into a folder and returns their names.
std::vector<std::string> write_explored(const std::filesystem::path& folder, const Explored& explored);

/// The finished idealisations by saved cycles, the largest saving first.
struct Recovered {
  const Idealisation* idealisation;
  const Variant* variant;
  double cycles = 0, recovered = 0;
};
std::vector<Recovered> ranked(const Explored& explored);

}  // namespace sassim::explore
