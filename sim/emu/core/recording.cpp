// SPDX-License-Identifier: Apache-2.0
// Records the steps of each thread block that the emulator runs, also of blocks that run on several threads.
#include "sim/emu/core/recording.h"

namespace sassim::emu {

BlockRecorder::BlockRecorder(const trace::KernelInfo& kernel, Sink sink, std::function<void()> again, BlockId first,
                             Order order)
    : kernel_(kernel),
      sink_(std::move(sink)),
      again_(std::move(again)),
      first_(first),
      order_(order),
      pool_(std::make_shared<trace::BodyPool>()),
      next_(first.value) {}

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

/// Records one block at a time. Its streams do not go to the pool, because which of two equal bodies stays depends on
/// the order of blocks.
class BlockRecorder::Apart final : public Recorder {
 public:
  explicit Apart(BlockRecorder& all) : all_(all) {}

  void block_started(BlockId, Dim3 ctaid) override {
    ctaid_ = ctaid;
    warps_.resize(all_.kernel_.warps_per_block());
    for (auto& warp : warps_)
      if (!warp) warp = trace::WarpStreamBuilder::make(all_.kernel_);
  }
  void step(BlockId, std::uint32_t warp, const trace::Step& step) override { warps_[warp]->append(step); }
  void block_finished(BlockId id) override {
    DoneBlock done{ctaid_, {}};
    for (auto& warp : warps_) done.warps.push_back(warp->finish());
    all_.done_apart(id, std::move(done));
  }

 private:
  BlockRecorder& all_;
  Dim3 ctaid_;
  std::vector<std::unique_ptr<trace::WarpStreamBuilder>> warps_;
};

std::unique_ptr<Recorder> BlockRecorder::apart() { return std::make_unique<Apart>(*this); }

void BlockRecorder::done_apart(BlockId id, DoneBlock block) {
  if (order_ == Order::none) return pass_on(std::move(block));
  const std::lock_guard lock(mutex_);
  waiting_.emplace(id.value, std::move(block));
  for (auto first = waiting_.begin(); first != waiting_.end() && first->first == next_; first = waiting_.erase(first)) {
    ++next_;
    pass_on(std::move(first->second));
  }
}

void BlockRecorder::pass_on(DoneBlock block) {
  auto trace = std::make_shared<trace::BlockTrace>();
  trace->id = block.id;
  for (const auto& stream : block.warps) {
    const auto origins = stream->origins();
    trace->warps.push_back(std::make_shared<const trace::WarpStream>(
        pool_->intern(stream->body()), std::vector<std::uint64_t>(origins.begin(), origins.end())));
  }
  sink_(std::move(trace));
}

void BlockRecorder::started_again() {
  open_.clear();
  waiting_.clear();
  next_ = first_.value;
  last_ = nullptr;
  pool_ = std::make_shared<trace::BodyPool>();
  if (again_) again_();
}

}  // namespace sassim::emu
