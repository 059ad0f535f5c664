// SPDX-License-Identifier: Apache-2.0
// Arithmetic over the keys of a configuration, as target files use it: "sm.count * max(sm.occupancy.carveouts) / KiB".
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "sim/config/forward.h"

namespace sassim::validate {

using NamedValues = std::map<std::string, double, std::less<>>;

/// Allowed: numbers, + - * /, parentheses, max(...) and min(...) of numbers and lists, the units KiB, MiB, GiB, MHz and
/// GHz, keys of the configuration (in bytes or Hz; a flag is 1 or 0) and `names`. Throws InputError with the expression
/// and its error; for an unknown key it suggests a similar one.
double evaluate(std::string_view expression, const config::GpuConfig& gpu, const NamedValues& names = {});

}  // namespace sassim::validate
