// SPDX-License-Identifier: Apache-2.0
// How many threads of this process can run at the same time.
#pragma once

#include <string_view>

namespace sassim {

/// The cores that this process may use; fewer if its control group (a container's, for example) has a quota of
/// processor time. At least 1.
unsigned usable_cores();

/// Cores of a quota, written as quota and period: 2 for "150000 100000"; 0 if there is none.
unsigned quota_cores(std::string_view quota);

/// As many of the threads that were asked for as have a core. Others would only make these wait.
unsigned threads_on_cores(unsigned asked);

}  // namespace sassim
