// SPDX-License-Identifier: Apache-2.0
// What every command does with a trace, in bounded time.
#pragma once

#include "sim/trace/kernel.h"

namespace sassim::fuzz {

/// Decodes the code, looks for mistakes, sums up and steps through the first blocks.
void walk(trace::BlockSource& source);

}  // namespace sassim::fuzz
