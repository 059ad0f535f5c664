// SPDX-License-Identifier: Apache-2.0
// Executes the warps of a thread block in the emulator as the timing model of an SM issues them.
#include "sim/live/live_block.h"

#include <algorithm>
#include <utility>

namespace sassim::live {

trace::WarpProgram::Next LiveWarp::next(Cycle now) {
  switch (stepped_.look_ahead(now.value)) {
    case emu::SteppedWarp::State::ended:
      return {State::ended, 0, {}, kNever};
    case emu::SteppedWarp::State::waits:
      return {State::waits, 0, {}, Cycle{stepped_.wakes()}};
    case emu::SteppedWarp::State::ready:
      break;
  }
  return {State::ready, stepped_.front().pc, LaneMask(stepped_.front().mask), kNever};
}

trace::LiveAccess* LiveWarp::issue(trace::Step& step, Cycle now) {
  LiveSm& sm = block_.sm();
  sm.now = now;
  emu::Context context{.grid = sm.grid, .block = block_.block(), .warp = stepped_.warp()};
  context.deferred = &sm.accesses;
  stepped_.step(context, step);
  ++sm.grid.result.warp_instructions;
  sm.grid.result.thread_instructions += static_cast<std::uint64_t>(step.lanes.count());
  if (record_) record_->append(step);
  return sm.accesses.begun();
}

LiveBlock::LiveBlock(std::unique_ptr<emu::Block> block, FindSm find_sm, const Recording* recording)
    : block_(std::move(block)), find_sm_(std::move(find_sm)), recording_(recording) {
  warps_.reserve(block_->warps.size());
  for (emu::Warp& warp : block_->warps) warps_.emplace_back(*this, warp, recording ? recording->make() : nullptr);
}

LiveBlock::~LiveBlock() {
  if (sm_ != nullptr) {
    ++sm_->blocks_done;
    for (const emu::Warp& warp : block_->warps) sm_->grid.result.time_reads += warp.time_reads;
  }
  if (recording_ == nullptr || block_->alive_warps != 0) return;
  auto trace = std::make_shared<trace::BlockTrace>();
  trace->id = block_->ctaid;
  for (LiveWarp& warp : warps_) trace->warps.push_back(warp.record()->finish());
  recording_->sink(std::move(trace));
}

void LiveBlock::place(SmId sm) {
  sm_ = &find_sm_(sm);
  block_->grid = &sm_->grid;
}

}  // namespace sassim::live
