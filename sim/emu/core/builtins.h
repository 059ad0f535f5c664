// SPDX-License-Identifier: Apache-2.0
// Functions that the driver provides to kernels: printf, malloc, free, assert, cudaGraphSetConditional, and what the
// runtime in kernels uses to launch kernels.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "sim/emu/core/machine.h"

namespace sassim::emu {

/// A kernel that a kernel launches.
struct ChildLaunch {
  std::uint64_t function = 0;  ///< code address of the kernel
  Dim3 grid, block;
  std::uint32_t dynamic_shared = 0;
};

/// Takes the launches of the kernels that this thread runs, as long as it lives. They are made when the kernel has
/// ended: it can wait for none of them.
class ChildLaunches {
 public:
  ChildLaunches() : before_(std::exchange(active_, this)) {}
  virtual ~ChildLaunches() { active_ = before_; }
  ChildLaunches(const ChildLaunches&) = delete;
  ChildLaunches& operator=(const ChildLaunches&) = delete;

  /// nullptr: a kernel that launches one is not supported.
  static ChildLaunches* active() { return active_; }

  struct Parameters {
    std::uint64_t address = 0;  ///< of memory for the launch's parameters; 0: the launch is not possible
    std::uint32_t error = 0;    ///< why not: cudaError_t
  };
  virtual Parameters prepare(const ChildLaunch&) = 0;
  /// The parameters are complete. `at_end`: the launch comes after all others of the kernel. False: prepare() has not
  /// given this address.
  virtual bool launch(std::uint64_t parameters, bool at_end) = 0;

  std::map<std::uint64_t, std::uint32_t> last_errors;  ///< cudaError_t of threads, by their numbers in the grid
  std::uint64_t objects = 0;                           ///< streams and events that threads have made

 private:
  static inline thread_local ChildLaunches* active_ = nullptr;
  ChildLaunches* before_;
};

/// The code address of a driver function. A call of one that the emulator lacks throws NotSupported with its name.
std::uint64_t builtin_address(std::string_view name);
bool is_builtin(std::uint64_t address);
/// Runs the function at `address` for one thread: arguments in R4 and up, results in R4 and R5.
void call_builtin(Context&, const MicroOp&, std::uint64_t address, int lane);

/// Writes the output of a kernel's printf.
void print(const Grid&, const std::string& text);

}  // namespace sassim::emu
