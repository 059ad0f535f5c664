// SPDX-License-Identifier: Apache-2.0
// Keeps the simulator's floating-point state (rounding mode, flush-to-zero, traps and sticky flags of SSE and of the
// x87 unit) apart from the program's.
//
// The simulator runs inside CUDA programs and computes the GPU's results with the host's arithmetic. A program may be
// linked with -ffast-math, round upwards or trap exceptions. This must not change the GPU's results, and the program
// must find its state unchanged. A new thread has the state of the thread that starts it.
#pragma once

#include <cfenv>

namespace sassim {

/// During its lifetime this thread computes with the defaults of IEEE 754: round to nearest, with subnormals, without
/// traps. The destructor restores the old state, with the sticky flags: as with a real GPU, kernels raise no flags on
/// the host.
class DefaultFloat {
 public:
  DefaultFloat();
  ~DefaultFloat();
  DefaultFloat(const DefaultFloat&) = delete;
  DefaultFloat& operator=(const DefaultFloat&) = delete;

 private:
  friend class CallerFloat;
  std::fenv_t before_;
  DefaultFloat* outer_;
};

/// During its lifetime this thread has the state from before its outermost DefaultFloat, for callbacks into the
/// program. Changes that they make remain.
class CallerFloat {
 public:
  CallerFloat();
  ~CallerFloat();
  CallerFloat(const CallerFloat&) = delete;
  CallerFloat& operator=(const CallerFloat&) = delete;

 private:
  std::fenv_t inside_;
  DefaultFloat* outermost_;
};

}  // namespace sassim
