// SPDX-License-Identifier: Apache-2.0
// What `sassim bundle` and `sassim reproduce` share.
#pragma once

#include <functional>

#include "sim/bundle/replay.h"

namespace sassim::cli {

/// Replays, with progress on a terminal. When a signal asks for a stop, `clean` is called and the process ends as the
/// signal does.
bundle::Totals replay_or_stop(const config::GpuConfig& gpu, const bundle::Recipe& recipe, unsigned threads,
                              const std::filesystem::path& result, const std::function<void()>& clean);

/// "1 kernel", "2 kernels"
std::string counted(std::uint64_t count, const char* what);

}  // namespace sassim::cli
