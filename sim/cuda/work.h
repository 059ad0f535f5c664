// SPDX-License-Identifier: Apache-2.0
// Work of streams whose times are not known yet: pieces with what they wait for, and who performs them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sim/base/strong.h"

namespace sassim::cuda {

using Picoseconds = Quantity<struct PicosecondsTag>;

/// What performs a piece of work. Copies of one direction follow each other, and so do copies and fills within the
/// device; the three kinds, and kernels, run side by side. Other pieces, such as events, take no time.
enum class Engine : std::uint8_t { none, kernels, to_device, to_host, in_device };
inline constexpr std::size_t kEngines = 5;

/// The engine that copies between two sides, each of which is in device memory or on the host. Copies within the host
/// take no time.
inline Engine engine_between(bool to_device, bool from_device) {
  if (to_device) return from_device ? Engine::in_device : Engine::to_device;
  return from_device ? Engine::to_host : Engine::none;
}

struct WorkItem {
  std::uint64_t number = 0;  ///< grows in the order in which the host submitted
  Engine engine = Engine::none;
  Picoseconds duration{};    ///< not of kernels
  std::uint64_t kernel = 0;  ///< its number at the KernelDevice
  int priority = 0;
  std::uint64_t writes = 0;  ///< KernelDevice::writes() when the work was submitted
  Picoseconds ready{};       ///< not before this
  std::size_t awaited = 0;   ///< pieces that must end before
  bool done = false;
  Picoseconds end{};                                 ///< if it is done
  std::vector<std::shared_ptr<WorkItem>> next = {};  ///< pieces that wait for this one
};
using WorkRef = std::shared_ptr<WorkItem>;

/// Runs kernels whose start the timeline decides, side by side where they fit.
class KernelDevice {
 public:
  struct Ended {
    std::uint64_t kernel;
    Picoseconds at;
  };
  virtual ~KernelDevice() = default;
  /// Call it only after advance() has returned every kernel that ends before `at`.
  virtual void start(std::uint64_t kernel, int priority, Picoseconds at) = 0;
  /// Simulates until another kernel has ended, and returns it; or until all ends up to `until` are known. Without
  /// `until` a kernel must be running.
  virtual std::optional<Ended> advance(std::optional<Picoseconds> until) = 0;
  /// The number of fills and copies to device memory so far.
  virtual std::uint64_t writes() const { return 0; }
  /// Applies fills and copies up to this number to the caches.
  virtual void apply_writes(std::uint64_t /*number*/) {}
  /// The program goes on: until the next call, no thread of the device may live, because a process whose main() has
  /// called pthread_exit() ends with its last thread.
  virtual void rest() {}
  /// The host waits until `until`; work that it adds later starts no earlier. `idle`: nothing that it has added before
  /// is left to do.
  virtual void host_waits(Picoseconds /*until*/, bool /*idle*/) {}
};

}  // namespace sassim::cuda
