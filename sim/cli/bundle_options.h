// SPDX-License-Identifier: Apache-2.0
// What `sassim bundle` and `sassim reproduce` share.
#pragma once

#include <functional>
#include <string>

#include "sim/base/error.h"
#include "sim/bundle/replay.h"
#include "sim/study/stop_signals.h"

namespace sassim::cli {

/// Does `work` and returns what it returns. When a signal asks for a stop, run_watched() leaves `work`, whose objects
/// clean up, and the process ends as the signal does.
ExitStatus unless_stopped(const std::function<ExitStatus(study::StopSignals&)>& work);

/// Replays, with progress on a terminal.
bundle::Totals run_watched(study::StopSignals& signals, const config::GpuConfig& gpu, const bundle::Recipe& recipe,
                           unsigned threads, const std::filesystem::path& result);

/// "1 kernel", "2 kernels"
std::string counted(std::uint64_t count, const char* what);

}  // namespace sassim::cli
