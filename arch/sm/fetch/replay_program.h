// SPDX-License-Identifier: Apache-2.0
// A recorded trace as a program: for traces of live warps, whose path fetch did not know ahead.
#pragma once

#include <utility>

#include "sim/trace/live.h"
#include "sim/trace/stream.h"

namespace sassim::arch {

class ReplayProgram final : public trace::WarpProgram {
 public:
  void start(trace::Cursor cursor) {
    cursor_ = std::move(cursor);
    more_ = cursor_.next(next_);
  }

  Next next() override {
    if (!more_) return {State::ended, 0, {}};
    return {State::ready, next_.index, next_.active};
  }
  trace::LiveAccess* issue(trace::Step& step, Cycle) override {
    step = next_;
    more_ = cursor_.next(next_);
    return nullptr;
  }

  template <class Archive>
  void state(Archive& archive) {
    archive(cursor_, next_, more_);
  }
  void attach(const trace::WarpStream& stream) { cursor_.attach(stream); }

 private:
  trace::Cursor cursor_;
  trace::Step next_;
  bool more_ = false;
};

}  // namespace sassim::arch
