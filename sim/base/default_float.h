// SPDX-License-Identifier: Apache-2.0
// The processor's floating-point state: rounding mode, flush-to-zero, traps, sticky flags, of SSE and of the x87 unit.
//
// The simulator runs inside CUDA programs and computes the GPU's results with the host's arithmetic. A program may be
// linked with -ffast-math, round upwards or trap exceptions; a GPU knows nothing of that, and the program must find its
// state untouched. New threads have the state of the thread that starts them.
#pragma once

#include <cfenv>

namespace sassim {

/// While it lives, this thread computes as IEEE 754 says by default: to nearest, with subnormals, without traps. Then
/// everything is as it was, the sticky flags too: what kernels compute raises none on the host, as with a real GPU.
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

/// While it lives, this thread has the state from before its outermost DefaultFloat, for functions of the program that
/// are called back. What they change in it stays changed.
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
