// SPDX-License-Identifier: Apache-2.0
// The interface of an observer that is told of each request that SMs send to the memory, such as LiveOrder, which puts
// the accesses of live warps into effect in that order.
#pragma once

#include "arch/network/messages.h"

namespace sassim::arch {

/// Calls come between epochs, in no fixed order.
class RequestObserver {
 public:
  virtual ~RequestObserver() = default;
  /// The request reaches the memory at `arrives`, or later if it must wait for others. Its reply takes effect more than
  /// an epoch after that.
  virtual void sent(const MemRequest& request, Cycle arrives) = 0;
};

}  // namespace sassim::arch
