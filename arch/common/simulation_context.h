// SPDX-License-Identifier: Apache-2.0
// Lets several GPUs of one process have a SystemC simulation each: SystemC elaborates once per simulation context and
// keeps the current one in a global variable.
#pragma once

#include <functional>
#include <memory>

namespace sassim::arch {

/// SystemC reserves and clears three megabytes for operators that join bits, and this code has none. Gives most of them
/// back: only for a program of which no other part uses SystemC.
void give_back_systemc_heap() noexcept;

class SimulationContext {
 public:
  SimulationContext();
  ~SimulationContext();
  SimulationContext(const SimulationContext&) = delete;
  SimulationContext& operator=(const SimulationContext&) = delete;

  /// Runs `work` with this context as SystemC's current one. Only one thread of the process does so at a time; others
  /// wait.
  void use(const std::function<void()>& work);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sassim::arch
