// SPDX-License-Identifier: Apache-2.0
// Told of every access to the data caches, in the order in which it happens, for studies of what other caches would do.
#pragma once

#include <cstdint>

#include "sim/base/types.h"

namespace sassim::arch {

/// One line of one access.
struct CacheAccess {
  enum class Kind : std::uint8_t {
    read,
    write,
    pass_by,  ///< the cache keeps nothing of it and forgets these sectors: atomics and volatile accesses, in the L1
  };
  std::uint64_t line = 0;     ///< tells the lines of one cache apart
  std::uint32_t sectors = 0;  ///< of the line, one bit each
  std::uint32_t partial = 0;  ///< of those, written but not in whole
  Kind kind = Kind::read;
};

class AccessObserver {
 public:
  virtual ~AccessObserver() = default;
  /// In order of time per SM; with several threads, from several SMs at once.
  virtual void l1_access(SmId /*sm*/, const CacheAccess&) {}
  /// Arrives at a slice of the L2: in order of time per slice; instructions and constants too.
  virtual void l2_access(std::uint32_t /*slice*/, const CacheAccess&) {}
};

}  // namespace sassim::arch
