// SPDX-License-Identifier: Apache-2.0
// From the hardware model's result to what the commands report.
#pragma once

#include <string>
#include <string_view>

#include "arch/gpu.h"
#include "sim/report/result.h"
#include "sim/trace/kernel.h"

namespace sassim::study {

/// For reports on a trace without control bits.
inline constexpr std::string_view kNoControlBits =
    "the trace has no control bits: a scoreboard keeps dependences, which takes other times (docs/scoreboard.md)";

/// What a trace of live warps says of the configuration whose timing made their paths (KernelInfo::made_on).
std::string made_on(const config::GpuConfig& config);

/// The trace has only some of the launch's thread blocks.
bool is_slice(const trace::BlockSource& source);
/// What every report of such a trace says.
std::string slice_note(const trace::BlockSource& source);

report::KernelReport kernel_report(const trace::BlockSource& source, const arch::KernelResult& result);

}  // namespace sassim::study
