// SPDX-License-Identifier: Apache-2.0
// Sets ("settles") the values of a configuration that follow from other values, when all files have been read: clocks
// given as "sm", cycles given as nanoseconds, bandwidth from the memory clock or the clock from the bandwidth.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "sim/config/field.h"
#include "sim/config/loader.h"

namespace sassim::config {

/// A time such as "14.4ns", or a sum of cycles and time such as "83+57ns".
struct CyclesAndTime {
  std::uint64_t cycles = 0;
  std::uint64_t picoseconds = 0;
};

/// Empty if `text` has no time. Sets `problem` if the time cannot be read.
std::optional<CyclesAndTime> parse_time(std::string_view text, std::string& problem);

/// Values that depend on other values, by the path of their key.
struct Unsettled {
  std::map<std::string, CyclesAndTime, std::less<>> times;
  bool l2_as_sm = false;
};

/// Sets the memory clock from the bandwidth if the bandwidth was set at `level`, else the bandwidth from the clock. If
/// both were set at the same level, they must agree.
void settle_bandwidth(LoadedConfig& loaded, int level);

/// Sets the keys in `unsettled`.
void settle_clocks(LoadedConfig& loaded, const FieldList& list, const Unsettled& unsettled);

}  // namespace sassim::config
