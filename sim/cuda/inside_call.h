// SPDX-License-Identifier: Apache-2.0
// Whether a thread is inside of the runtime. A signal handler of the program may interrupt a call at any place, and
// call the runtime, fork or exit there: then nothing of the session may be touched.
#pragma once

#include <utility>

namespace sassim::cuda {

/// During its lifetime this thread is inside of a call.
class InsideCall {
 public:
  InsideCall() : before_(std::exchange(here_, true)) {}
  ~InsideCall() { here_ = before_; }
  InsideCall(const InsideCall&) = delete;
  InsideCall& operator=(const InsideCall&) = delete;

  static bool here() { return here_; }

 private:
  friend class OutsideCall;
  static thread_local constinit inline bool here_ = false;
  bool before_;
};

/// During its lifetime a function of the program runs, which the call has called at a place where all is in order.
class OutsideCall {
 public:
  OutsideCall() : before_(std::exchange(InsideCall::here_, false)) {}
  ~OutsideCall() { InsideCall::here_ = before_; }
  OutsideCall(const OutsideCall&) = delete;
  OutsideCall& operator=(const OutsideCall&) = delete;

 private:
  bool before_;
};

}  // namespace sassim::cuda
