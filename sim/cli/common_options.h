// SPDX-License-Identifier: Apache-2.0
// Options that several commands have: --threads, --sample, --sample-launches and --no-skip.
#pragma once

#include <initializer_list>

namespace CLI {
class App;
}

namespace sassim::cli {

/// --threads: sets `threads`, which must exist until parsing has finished, to a number of host threads. There are never
/// more than cores (threads_on_cores()).
void add_threads(CLI::App& command, unsigned& threads);

/// Sets `share` to the share of the thread blocks; it must exist until parsing has finished. Not together with the
/// options `others`, which the command has.
void add_sample(CLI::App& command, double& share, std::initializer_list<const char*> others);

/// --sample-launches: sets `mean` to how well the mean of a stratum of launches is to be known (cuda::LaunchStrata).
void add_sample_launches(CLI::App& command, double& mean, std::initializer_list<const char*> others);

/// --no-skip: without it `reuse` (arch::Gpu::reuse_results()) is true.
void add_no_skip(CLI::App& command, bool& reuse);

}  // namespace sassim::cli
