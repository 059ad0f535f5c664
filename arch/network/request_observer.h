// SPDX-License-Identifier: Apache-2.0
// The interface that receives the requests of SMs to the memory.
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
