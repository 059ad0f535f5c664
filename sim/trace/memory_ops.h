// SPDX-License-Identifier: Apache-2.0
// The instructions that access memory at an address of each thread.
#pragma once

#include "sim/isa/opcode.h"

namespace sassim::trace {

constexpr bool accesses_memory(isa::OpClass op) {
  using isa::OpClass;
  return op == OpClass::load || op == OpClass::store || op == OpClass::load_shared || op == OpClass::store_shared ||
         op == OpClass::atomic || op == OpClass::reduction || op == OpClass::atomic_shared;
}

}  // namespace sassim::trace
