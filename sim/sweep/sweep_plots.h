// SPDX-License-Identifier: Apache-2.0
// The plots of `sassim sweep`.
#pragma once

#include <string>
#include <vector>

#include "sim/plot/plot.h"
#include "sim/sweep/sweep.h"

namespace sassim::sweep {

/// "32", "0.5", "inf".
std::string alpha_name(double alpha);
/// "loads", "MUFU.RSQ" or "LDS".
std::string other_name(model::MixKind kind);
/// "v100: random loads and adds, ILP 2"
std::string subject(const Sweep& sweep);

/// One plot for each alpha, the cusp, occupancy over time, and the errors of the models.
std::vector<plot::NamedPlot> sweep_plots(const Sweep& sweep);

}  // namespace sassim::sweep
