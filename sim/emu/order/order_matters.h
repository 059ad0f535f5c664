// SPDX-License-Identifier: Apache-2.0
// What an emulated launch throws to its caller, which then runs the launch live.
#pragma once

namespace sassim::emu {

/// Thrown when blocks of a launch read what other blocks of it write, so that the result depends on their order.
struct OrderMatters {};

}  // namespace sassim::emu
