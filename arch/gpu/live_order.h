// SPDX-License-Identifier: Apache-2.0
// The order in which accesses of live warps take effect in global memory: that of their requests at the memory, by
// (time, SM, sequence). They take effect between epochs on one thread, so results are the same for any number of
// threads and any length of epochs.
#pragma once

#include <vector>

#include "arch/common/component.h"
#include "arch/common/timed_inbox.h"
#include "arch/network/request_observer.h"
#include "arch/sm/sm.h"

namespace sassim::arch {

class LiveOrder final : public Exchange, public RequestObserver {
 public:
  explicit LiveOrder(std::vector<Sm*> sms) : sms_(std::move(sms)) {}

  void sent(const MemRequest& request, Cycle arrives) override {
    requests_.add(request);
    requests_.last().time = arrives;
  }
  void exchange(Cycle now) override {
    requests_.settle(Cycle{});
    for (; !requests_.empty() && requests_.front().time < now; requests_.pop())
      sms_[requests_.front().from.sm().value]->serve(requests_.front());
  }
  /// A request takes effect before its reply arrives, also where nothing else happens on the way (memory.model: fixed).
  Cycle next_event() const override { return requests_.empty() ? kNever : requests_.front().time; }

 private:
  std::vector<Sm*> sms_;
  TimedInbox<MemRequest, RequestOrder> requests_;
};

}  // namespace sassim::arch
