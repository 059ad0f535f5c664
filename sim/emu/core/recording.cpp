// SPDX-License-Identifier: Apache-2.0
#include "sim/emu/core/recording.h"

namespace sassim::emu {

BlockRecorder::BlockRecorder(const trace::KernelInfo& kernel, Sink sink, std::function<void()> again)
    : kernel_(kernel), sink_(std::move(sink)), again_(std::move(again)), pool_(std::make_shared<trace::BodyPool>()) {}

BlockRecorder::~BlockRecorder() = default;

void BlockRecorder::block_started(BlockId id, Dim3 ctaid) {
  OpenBlock& block = open_[id];
  block.id = ctaid;
  for (std::uint32_t w = 0; w < kernel_.warps_per_block(); ++w)
    block.warps.push_back(trace::WarpStreamBuilder::make(kernel_, pool_));
  last_ = nullptr;
}

void BlockRecorder::step(BlockId id, std::uint32_t warp, const trace::Step& step) {
  if (!last_ || last_id_ != id) {
    last_ = &open_.at(id);
    last_id_ = id;
  }
  last_->warps[warp]->append(step);
}

void BlockRecorder::block_finished(BlockId id) {
  auto found = open_.find(id);
  auto trace = std::make_shared<trace::BlockTrace>();
  trace->id = found->second.id;
  for (auto& builder : found->second.warps) trace->warps.push_back(builder->finish());
  open_.erase(found);
  last_ = nullptr;
  sink_(std::move(trace));
}

void BlockRecorder::started_again() {
  open_.clear();
  last_ = nullptr;
  pool_ = std::make_shared<trace::BodyPool>();
  if (again_) again_();
}

}  // namespace sassim::emu
