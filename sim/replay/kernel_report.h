// SPDX-License-Identifier: Apache-2.0
// Turns the hardware model's result into the report of a kernel.
#pragma once

#include <string>
#include <string_view>

#include "arch/gpu/gpu.h"
#include "sim/report/result.h"
#include "sim/trace/kernel.h"

namespace sassim::replay {

/// A remark in reports on a trace without control bits.
inline constexpr std::string_view kNoControlBits =
    "the trace has no control bits: a scoreboard keeps dependences, which takes other times "
    "(validation/results/scoreboard.md)";

/// The configuration whose timing determined the paths in a trace of live warps (KernelInfo::made_on).
std::string made_on(const config::GpuConfig& config);

/// True if the trace has only some thread blocks of the launch.
bool is_slice(const trace::BlockSource& source);
/// A remark in reports on such a trace.
std::string slice_note(const trace::BlockSource& source);

/// A remark in reports on a kernel that was to be sampled.
std::string sampled_note(const report::SampledReport& sampled, std::uint64_t blocks);

/// A remark in reports on a kernel that ran side by side with others.
std::string beside_note(std::uint64_t kernels);

/// `config`: of the GPU that ran it.
report::KernelReport kernel_report(const trace::BlockSource& source, const arch::KernelResult& result,
                                   const config::GpuConfig& config);

}  // namespace sassim::replay
