// SPDX-License-Identifier: Apache-2.0
// Reads a result file that `--json` wrote, for `sassim compare`.
#pragma once

#include <string>
#include <vector>

#include "sim/report/result.h"

namespace sassim::report {

/// The kernels of a result, in its order. Throws InputError starting with `place`.
std::vector<KernelReport> read_result(const std::string& text, const std::string& place);
/// The same with the run's configuration and caches.
RunReport read_run(const std::string& text, const std::string& place);

}  // namespace sassim::report
