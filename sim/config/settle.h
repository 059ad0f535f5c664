// SPDX-License-Identifier: Apache-2.0
// Values that follow from others: a clock that is the SMs', cycles written as nanoseconds, bandwidth and memory clock.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "sim/config/field.h"
#include "sim/config/loader.h"

namespace sassim::config {

/// "14.4ns", or a sum of cycles and time such as "83+57ns".
struct CyclesAndTime {
  std::uint64_t cycles = 0;
  std::uint64_t picoseconds = 0;
};

/// Nothing when `text` has no time in it. Sets `problem` when it has one that cannot be read.
std::optional<CyclesAndTime> parse_time(std::string_view text, std::string& problem);

/// What waits for other values: by the path of its key.
struct Unsettled {
  std::map<std::string, CyclesAndTime, std::less<>> times;
  bool l2_as_sm = false;
};

/// The memory clock from the bandwidth if that was set at `level`, else the bandwidth from the clock. Both said at the
/// same level must agree.
void settle_bandwidth(LoadedConfig& loaded, int level);

/// Gives the keys of `unsettled` their values.
void settle_clocks(LoadedConfig& loaded, const FieldList& list, const Unsettled& unsettled);

}  // namespace sassim::config
