// SPDX-License-Identifier: Apache-2.0
// One logger per component. Logs go to standard error; results never do.
#pragma once

#include <spdlog/spdlog.h>

#include <memory>
#include <string>

namespace sassim {

/// The logger of a component ("emu", "config", ...), made at its first use.
std::shared_ptr<spdlog::logger> logger(const std::string& component);

}  // namespace sassim
