// SPDX-License-Identifier: Apache-2.0
// The unit of an L2 slice that executes atomics and reductions, one request after another. Times are L2 cycles.
#pragma once

#include <array>
#include <cstdint>

#include "arch/memory/slice_request.h"
#include "sim/config/groups/l2.h"

namespace sassim::arch {

class AtomicUnit {
 public:
  explicit AtomicUnit(const config::L2Config& config) : config_(config) {}

  /// Between kernels: the unit is idle, and remembers no line.
  void clear() {
    until_ = {};
    free_ = 0;
    operated_ = {};
    sector_ready_ = {};
  }
  /// When the unit accepts the next request.
  L2Cycle free_at() const { return until_; }
  struct Times {
    std::uint64_t extra;  ///< cycles until the old value leaves, beyond those of a load
    L2Cycle changed_at;   ///< when the new value can be read
  };
  /// Executes a request on the line with `tag`. Lanes with the same address are served one after another. The old value
  /// leaves while the array still writes the new one.
  Times execute(const SliceRequest& request, std::uint64_t tag, L2Cycle now);
  template <class Archive>
  void state(Archive& archive) {
    archive(until_, free_, operated_, sector_ready_);
  }

 private:
  double busy_until(const SliceRequest& request, std::uint64_t tag, double start);

  config::L2Config config_;
  L2Cycle until_;    ///< when the unit is free, in whole cycles
  double free_ = 0;  ///< the same with fractions of a cycle
  /// One of the lines that the unit used last.
  struct Operated {
    std::uint64_t tag = ~std::uint64_t{0};
    double begun = 0;      ///< when the last request on the line started
    bool returns = false;  ///< true if the last request returns the old value
  };
  std::array<Operated, 4> operated_{};  ///< the most recent one first
  std::array<double, 16>
      sector_ready_{};  ///< of the most recent line: when the next floating-point operation may start
};

}  // namespace sassim::arch
