// SPDX-License-Identifier: Apache-2.0
// A thread block that is executed when it is timed.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "sim/emu/core/machine.h"
#include "sim/emu/core/step_warp.h"
#include "sim/live/live_sm.h"
#include "sim/trace/kernel.h"

namespace sassim::live {

class LiveBlock;

class LiveWarp final : public trace::WarpProgram {
 public:
  LiveWarp(LiveBlock& block, emu::Warp& warp, std::unique_ptr<trace::WarpStreamBuilder> record)
      : block_(block), stepped_(warp), record_(std::move(record)) {}

  Next next(Cycle now) override;
  void sleep(Cycle wakes) override { stepped_.sleep(wakes.value); }
  trace::LiveAccess* issue(trace::Step& step, Cycle now) override;
  trace::WarpStreamBuilder* record() { return record_.get(); }

 private:
  LiveBlock& block_;
  emu::SteppedWarp stepped_;
  std::unique_ptr<trace::WarpStreamBuilder> record_;
};

class LiveBlock final : public trace::BlockProgram {
 public:
  /// What makes the streams of warps that are recorded, and who gets the block when it has ended.
  struct Recording {
    std::function<std::unique_ptr<trace::WarpStreamBuilder>()> make;
    std::function<void(std::shared_ptr<const trace::BlockTrace>)> sink;
  };
  using FindSm = std::function<LiveSm&(SmId)>;

  LiveBlock(std::unique_ptr<emu::Block> block, FindSm find_sm, const Recording* recording);
  ~LiveBlock() override;

  void place(SmId sm) override;
  trace::WarpProgram& warp(std::uint32_t index) override { return warps_[index]; }

  LiveSm& sm() { return *sm_; }
  emu::Block& block() { return *block_; }
  const emu::Block& block() const { return *block_; }

 private:
  std::unique_ptr<emu::Block> block_;
  FindSm find_sm_;
  const Recording* recording_;
  std::vector<LiveWarp> warps_;
  LiveSm* sm_ = nullptr;
};

}  // namespace sassim::live
