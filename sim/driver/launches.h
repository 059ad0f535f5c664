// SPDX-License-Identifier: Apache-2.0
// Checks and unpacks what cuLaunchKernel and its relatives get from the program: a kernel's handle, and its arguments
// in one of two forms.
#pragma once

#include <vector>

#include "sim/cuda/kernel_call.h"
#include "sim/driver/abi.h"

namespace sassim::cuda {

struct Function;

/// The arguments of a launch: an array of pointers, or `extra`, which has all in one buffer.
class Arguments {
 public:
  /// Keeps pointers to what the program gives, in either form; nothing is copied.
  Result take(const emu::Kernel&, void** pointers, void** extra);
  /// A pointer to each argument, as the runtime's launches take them.
  void** get() { return pointers_; }

 private:
  std::vector<void*> into_buffer_;
  void** pointers_ = nullptr;
};

/// An error if the program has no such function, or has it in another context than the current one.
Result check_function(const Function*);

}  // namespace sassim::cuda
