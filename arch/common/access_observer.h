// SPDX-License-Identifier: Apache-2.0
// The interface of an observer that is told of every access to the L1s and the L2 of a run, such as the one that
// computes how often caches of other sizes would miss (sim/explore).
#pragma once

#include <cstdint>

#include "sim/base/types.h"

namespace sassim::arch {

/// One line of one access.
struct CacheAccess {
  enum class Kind : std::uint8_t {
    read,
    write,
    pass_by,  ///< the cache stores nothing and invalidates these sectors: atomics and volatile accesses in the L1
  };
  std::uint64_t line = 0;     ///< identifies the line within one cache
  std::uint32_t sectors = 0;  ///< one bit per sector of the line
  std::uint32_t partial = 0;  ///< the sectors among them that are written only in part
  Kind kind = Kind::read;
};

class AccessObserver {
 public:
  virtual ~AccessObserver() = default;
  /// For each SM, calls come in order of time. With several threads, several SMs call at the same time.
  virtual void l1_access(SmId /*sm*/, const CacheAccess&) {}
  /// An access arrives at a slice of the L2, instructions and constants included. For each slice, calls come in order
  /// of time.
  virtual void l2_access(std::uint32_t /*slice*/, const CacheAccess&) {}
};

}  // namespace sassim::arch
