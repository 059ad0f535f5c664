// SPDX-License-Identifier: Apache-2.0
// Sets the host's floating-point state to IEEE defaults while the simulator works, and restores that of the program.
#include "sim/base/default_float.h"

namespace sassim {

namespace {

thread_local DefaultFloat* innermost = nullptr;

}  // namespace

DefaultFloat::DefaultFloat() : outer_(innermost) {
  std::fegetenv(&before_);
  std::fesetenv(FE_DFL_ENV);
  innermost = this;
}

DefaultFloat::~DefaultFloat() {
  innermost = outer_;
  std::fesetenv(&before_);
}

CallerFloat::CallerFloat() : outermost_(innermost) {
  if (!outermost_) return;
  while (outermost_->outer_) outermost_ = outermost_->outer_;
  std::fegetenv(&inside_);
  std::fesetenv(&outermost_->before_);
}

CallerFloat::~CallerFloat() {
  if (!outermost_) return;
  std::fegetenv(&outermost_->before_);
  std::fesetenv(&inside_);
}

}  // namespace sassim
