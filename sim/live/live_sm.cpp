// SPDX-License-Identifier: Apache-2.0
// Answers live warps that read a clock or ask for their SM or warp number.
#include "sim/live/live_sm.h"

namespace sassim::live {

namespace {
constexpr std::uint64_t kControl = 1;  ///< cycles from issue to the stage in which an instruction reads the clock
}

LiveSm::LiveSm(const emu::Grid& launch, SmId id, Cycle clock, std::uint64_t clock_hz)
    : grid(launch), id_(id), clock_(clock), clock_hz_(clock_hz) {
  options_.clock = this;
  options_.print = [this](const std::string& text) { printed.push_back({now, text}); };
  grid.options = &options_;
  grid.result = {};
}

std::uint64_t LiveSm::read(const emu::TimeRead& wanted) {
  if (wanted.kind == emu::TimeKind::sm_id) return id_.value;
  if (wanted.kind == emu::TimeKind::warp_id) return wanted.warp;
  ++clock_reads_;
  const std::uint64_t cycle = (clock_ + now).value + kControl;
  if (wanted.kind == emu::TimeKind::clock) return cycle;
  return static_cast<std::uint64_t>(static_cast<double>(cycle) * 1e9 / static_cast<double>(clock_hz_));
}

}  // namespace sassim::live
