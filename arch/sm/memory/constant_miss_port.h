// SPDX-License-Identifier: Apache-2.0
// The SM's L1.5 constant cache, as the first-level constant cache of LDC sees it.
#pragma once

#include <cstdint>

#include "sim/base/types.h"

namespace sassim::arch {

/// Timing: a request at t that hits in the L1.5 is answered at t + (constant.l15_latency - constant.ldc_latency); the
/// first level then adds its own hit latency.
class ConstantMissPort {
 public:
  virtual ~ConstantMissPort() = default;
  virtual bool can_request(Cycle now) const = 0;
  /// Asks for the line that holds `address` (bank << 32 | offset); the reply carries `tag` back.
  virtual void request(std::uint64_t address, std::uint32_t tag, Cycle now) = 0;
  /// The next reply due at or before `now`: fills `tag`, drops the reply and returns true.
  virtual bool pop_reply(Cycle now, std::uint32_t& tag) = 0;
  /// Time of the next reply that is already known, else kNever.
  virtual Cycle next_reply() const = 0;
};

}  // namespace sassim::arch
