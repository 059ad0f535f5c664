// SPDX-License-Identifier: Apache-2.0
// SystemC elaborates once per simulation context and keeps the current one in a global. Everything that follows from
// this, several GPUs in one process above all, lives here.
#pragma once

#include <functional>
#include <memory>

namespace sassim::arch {

class SimulationContext {
 public:
  SimulationContext();
  ~SimulationContext();
  SimulationContext(const SimulationContext&) = delete;
  SimulationContext& operator=(const SimulationContext&) = delete;

  /// Runs `work` with this context as SystemC's current one. One thread of the process at a time; others wait.
  void use(const std::function<void()>& work);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sassim::arch
