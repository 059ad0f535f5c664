// SPDX-License-Identifier: Apache-2.0
// A timeline that ui.perfetto.dev and chrome://tracing open (Chrome's JSON format). One microsecond there is one cycle.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "sim/timeline/recorder.h"

namespace sassim::timeline {

/// What counters are shares of.
struct CounterPeaks {
  std::uint32_t sms = 1, warps_per_sm = 1, issues_per_cycle = 1;  ///< issues: of one SM
};

/// `write` gets the text piece by piece. Must not run while the recorder records.
void write_perfetto(const Recorder& recorder, const CounterPeaks& peaks,
                    const std::function<void(std::string_view)>& write);

}  // namespace sassim::timeline
