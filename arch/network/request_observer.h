// SPDX-License-Identifier: Apache-2.0
// Sees what SMs ask the memory for.
#pragma once

#include "arch/network/messages.h"

namespace sassim::arch {

/// Called between epochs, in no fixed order.
class RequestObserver {
 public:
  virtual ~RequestObserver() = default;
  /// The request is at the memory at `arrives`, unless others keep it waiting. What it is answered comes later than
  /// that by more than an epoch.
  virtual void sent(const MemRequest& request, Cycle arrives) = 0;
};

}  // namespace sassim::arch
