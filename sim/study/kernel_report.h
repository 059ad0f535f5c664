// SPDX-License-Identifier: Apache-2.0
// From the hardware model's result to what the commands report.
#pragma once

#include "arch/gpu.h"
#include "sim/report/result.h"
#include "sim/trace/kernel.h"

namespace sassim::study {

report::KernelReport kernel_report(const trace::BlockSource& source, const arch::KernelResult& result);

}  // namespace sassim::study
