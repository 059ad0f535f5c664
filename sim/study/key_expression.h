// SPDX-License-Identifier: Apache-2.0
// Arithmetic over the keys of a configuration, as target files use it: "sm.count * max(sm.occupancy.carveouts) / KiB".
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "sim/config/gpu_config.h"

namespace sassim::study {

using NamedValues = std::map<std::string, double, std::less<>>;

/// Numbers, + - * / and parentheses, max(...) and min(...) over numbers and lists, the units KiB, MiB, GiB, MHz and
/// GHz, keys of the configuration (bytes, Hz; a flag is 1 or 0) and `names`. Throws InputError naming the expression
/// and what is wrong with it; an unknown key with the one that may be meant.
double evaluate(std::string_view expression, const config::GpuConfig& gpu, const NamedValues& names = {});

}  // namespace sassim::study
