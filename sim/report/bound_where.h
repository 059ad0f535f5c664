// SPDX-License-Identifier: Apache-2.0
// Finds where in the code a cause bounds a kernel: the second sentence of "Bound by ..." in a report, behind the
// causes.
#pragma once

#include <string>
#include <string_view>

#include "sim/report/bound.h"

namespace sassim::report {

/// `pipe`: of a cause that is a busy pipe, its name in sm.pipes.ops. Empty if no line of the code explains the cause:
/// the grid, the launch and used issue slots are no matter of one line.
Where find_where(const KernelReport& kernel, Cause cause, std::string_view pipe);

}  // namespace sassim::report
