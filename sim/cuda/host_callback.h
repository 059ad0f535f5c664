// SPDX-License-Identifier: Apache-2.0
// Whether a thread runs a function that the program has put into a stream: such a function cannot reset the device.
#pragma once

#include <utility>

namespace sassim::cuda {

/// During its lifetime this thread runs such a function.
class HostCallback {
 public:
  HostCallback() : before_(std::exchange(here_, true)) {}
  ~HostCallback() { here_ = before_; }
  HostCallback(const HostCallback&) = delete;
  HostCallback& operator=(const HostCallback&) = delete;

  static bool here() { return here_; }

 private:
  static thread_local constinit inline bool here_ = false;
  bool before_;
};

}  // namespace sassim::cuda
