// SPDX-License-Identifier: Apache-2.0
// Common parts of `sassim bundle` and `sassim reproduce`.
#pragma once

#include <functional>
#include <string>

#include "sim/base/error.h"
#include "sim/base/stop_signals.h"
#include "sim/bundle/replay.h"

namespace sassim::cli {

/// Returns the result of `work`. If a signal asks for a stop, run_watched() throws out of `work`, whose objects clean
/// up, and the process ends by the signal.
ExitStatus unless_stopped(const std::function<ExitStatus(StopSignals&)>& work);

/// Replays with a progress line on a terminal.
bundle::Totals run_watched(StopSignals& signals, const config::GpuConfig& gpu, const bundle::Recipe& recipe,
                           unsigned threads, const std::filesystem::path& result);

/// "1 kernel", "2 kernels"
std::string counted(std::uint64_t count, const char* what);

}  // namespace sassim::cli
