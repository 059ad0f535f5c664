// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "arch/common/indices.h"
#include "arch/network/messages.h"
#include "sim/base/types.h"

namespace sassim::arch {

inline constexpr L2Cycle kNeverL2 = L2Cycle::max();

/// A request that an L2 slice serves, with its place in the slice.
struct SliceRequest {
  MemRequest request;
  LineAddress line = {};      ///< number of the L2 line in its home slice
  std::uint16_t sectors = 0;  ///< sectors of the L2 line
  std::uint16_t partial = 0;
  std::uint16_t fetched = 0;  ///< sectors that this request fetches
  bool copy = false;          ///< the home of the line is in the other half of the chip
  bool passed_on = false;     ///< from an SM of the other half, by way of that half
  bool by_gpc = false;        ///< of code or constants, which count once for each GPC
  std::uint32_t gpc = 0;      ///< of the SM, if `by_gpc`
  L2Cycle arrived{};          ///< at the slice's input
  L2Cycle ready{};            ///< when it has passed the input
};

/// The name of a line among a slice's tags, which tells a copy from a line whose home is here.
struct LineTag {
  LineAddress line = {};
  bool copy = false;

  constexpr std::uint64_t code() const { return line * 2 + (copy ? 1 : 0); }
  static constexpr LineTag of(std::uint64_t code) { return {LineAddress(code / 2), code % 2 != 0}; }
};

inline bool is_atomic(const SliceRequest& r) {
  return r.request.kind == RequestKind::atomic || r.request.kind == RequestKind::reduction;
}

}  // namespace sassim::arch
