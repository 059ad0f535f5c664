// SPDX-License-Identifier: Apache-2.0
// A PipelineObserver that passes what it is told to two others, for runs that have two.
#pragma once

#include "arch/sm/common/pipeline_observer.h"

namespace sassim::arch {

class ObserverPair final : public PipelineObserver {
 public:
  /// Either may be null.
  ObserverPair(PipelineObserver* first, PipelineObserver* second) : first_(first), second_(second) {}

  /// The observer to use: this pair, the only one of the two, or none.
  PipelineObserver* observer() {
    if (first_ == nullptr) return second_;
    return second_ == nullptr ? first_ : this;
  }

  void kernel_started(const trace::KernelInfo& kernel, Cycle start) override {
    first_->kernel_started(kernel, start);
    second_->kernel_started(kernel, start);
  }
  void kernel_ended(Cycle end, const CountsOverTime& counts) override {
    first_->kernel_ended(end, counts);
    second_->kernel_ended(end, counts);
  }
  void warp_started(const WarpName& warp, Cycle at) override {
    first_->warp_started(warp, at);
    second_->warp_started(warp, at);
  }
  void kernel_resumed(SmId first) override {
    first_->kernel_resumed(first);
    second_->kernel_resumed(first);
  }
  void warp_resumed(const WarpName& warp, std::uint32_t place, Cycle start) override {
    first_->warp_resumed(warp, place, start);
    second_->warp_resumed(warp, place, start);
  }
  void warp_ended(const WarpName& warp, Cycle at) override {
    first_->warp_ended(warp, at);
    second_->warp_ended(warp, at);
  }
  void issued(const WarpName& warp, std::uint32_t line, Cycle issue, Cycle result) override {
    first_->issued(warp, line, issue, result);
    second_->issued(warp, line, issue, result);
  }
  void completed(const WarpName& warp, Cycle issue, Cycle done) override {
    first_->completed(warp, issue, done);
    second_->completed(warp, issue, done);
  }
  void spent(const WarpName& warp, std::uint32_t line, StallReason reason, Cycle from, Cycle until) override {
    first_->spent(warp, line, reason, from, until);
    second_->spent(warp, line, reason, from, until);
  }

 private:
  PipelineObserver *first_, *second_;
};

}  // namespace sassim::arch
