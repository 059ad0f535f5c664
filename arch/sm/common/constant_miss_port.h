// SPDX-License-Identifier: Apache-2.0
// The interface to the L1.5 constant cache of the SM, which the first-level constant cache of LDC asks when it misses.
#pragma once

#include <cstdint>

#include "sim/base/types.h"

namespace sassim::arch {

/// A request at cycle t that hits in the L1.5 gets its reply at t + (constant.l15_latency - constant.ldc_latency); the
/// first level then adds its own hit latency.
class ConstantMissPort {
 public:
  virtual ~ConstantMissPort() = default;
  virtual bool can_request(Cycle now) const = 0;
  /// Requests the line that holds `address` (bank << 32 | offset); the reply returns `tag`.
  virtual void request(std::uint64_t address, std::uint32_t tag, Cycle now) = 0;
  /// Takes the next reply that is due at or before `now`: sets `tag` and returns true.
  virtual bool pop_reply(Cycle now, std::uint32_t& tag) = 0;
  /// Time of the next reply, if it is known; else kNever.
  virtual Cycle next_reply() const = 0;
};

}  // namespace sassim::arch
