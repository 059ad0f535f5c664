// SPDX-License-Identifier: Apache-2.0
// Replays the recorded trace of a warp that was live when it was recorded: fetch learns the warp's path only as it
// issues, as it did then.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "sim/trace/live.h"
#include "sim/trace/stream.h"

namespace sassim::arch {

class ReplayProgram final : public trace::WarpProgram {
 public:
  void start(trace::Cursor cursor) {
    cursor_ = std::move(cursor);
    wakes_.fill({});
    more_ = cursor_.next(next_);
  }

  Next next(Cycle now) override {
    if (!more_) return {State::ended, 0, {}, kNever};
    Cycle wakes;
    for (std::uint32_t bits = next_.active.bits; bits != 0; bits &= bits - 1)
      wakes = std::max(wakes, wakes_[static_cast<std::size_t>(std::countr_zero(bits))]);
    if (wakes > now) return {State::waits, 0, {}, wakes};
    return {State::ready, next_.index, next_.active, kNever};
  }
  void sleep(Cycle wakes) override {
    for (std::uint32_t bits = issued_.bits; bits != 0; bits &= bits - 1)
      wakes_[static_cast<std::size_t>(std::countr_zero(bits))] = wakes;
  }
  trace::LiveAccess* issue(trace::Step& step, Cycle) override {
    step = next_;
    issued_ = step.active;
    more_ = cursor_.next(next_);
    return nullptr;
  }

  template <class Archive>
  void state(Archive& archive) {
    archive(cursor_, next_, more_, issued_, wakes_);
  }
  void attach(const trace::WarpStream& stream) { cursor_.attach(stream); }

 private:
  trace::Cursor cursor_;
  trace::Step next_;
  bool more_ = false;
  LaneMask issued_;                          ///< threads of the last issued instruction
  std::array<Cycle, kWarpSize> wakes_ = {};  ///< per lane: the end of its last sleep
};

}  // namespace sassim::arch
