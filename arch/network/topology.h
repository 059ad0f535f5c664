// SPDX-License-Identifier: Apache-2.0
// The places of endpoints on the chip: the GPC of an SM; the half of an SM, a slice or the walker; and the distance of
// a slice from an SM beyond that of the nearest slice. No other file has them.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/common/indices.h"
#include "arch/network/endpoint.h"
#include "sim/base/types.h"
#include "sim/config/forward.h"

namespace sassim::arch {

class Topology {
 public:
  explicit Topology(const config::GpuConfig& config);

  std::uint32_t gpcs() const { return gpcs_; }
  std::uint32_t gpc(SmId sm) const { return gpc_[sm.value]; }

  /// 2 if the L2 has two halves, else 1.
  std::uint32_t halves() const { return halves_; }
  /// The first half of the slices is in half 0, the others are in half 1. The walker is in half 0 (assumed).
  std::uint32_t half(Endpoint of) const {
    if (of.is_sm()) return half_[of.sm().value];
    return of.is_slice() && of.slice().value >= slices_ / 2 ? 1 : 0;
  }
  /// True if the L2 has two halves and the two endpoints are in different ones.
  bool apart(Endpoint a, Endpoint b) const { return halves_ > 1 && half(a) != half(b); }
  /// The slice of the same number in the other half.
  SliceId twin(SliceId slice) const {
    const std::uint32_t half = slices_ / 2;
    return SliceId(slice.value < half ? slice.value + half : slice.value - half);
  }

  /// Cycles beyond those to the nearest slice of the half. From one SM, the distances of the slices of a half are
  /// spread evenly between nearest and farthest. The two slices of a group of two are neighbours (at most 5 places
  /// apart in that order), but for a third of the groups. (If the GPCs' places divide the half into stretches of an odd
  /// number of slices, groups have no such places.) SMs of another GPC have the same distances in another order
  /// (validation/measured/h200.json.xz, l2.line.*).
  Cycle distance(SmId sm, SliceId slice) const {
    if (spread_ == 0) return Cycle{0};
    return Cycle{extra_[(slice.value % half_slices_ + first_ + std::size_t{gpc(sm)} * step_) % half_slices_]};
  }

 private:
  static constexpr std::uint32_t kUnknownGpcs = 8;  ///< if the configuration does not state them

  void place_sms(const config::GpuConfig& config);
  void place_slices(const config::CrossbarConfig& crossbar, std::uint32_t group);

  std::uint32_t gpcs_ = kUnknownGpcs, halves_;
  std::vector<std::uint32_t> gpc_;  ///< by SM
  std::vector<std::uint8_t> half_;  ///< by SM
  std::uint32_t slices_, half_slices_, spread_, step_ = 0, first_ = 0;
  std::vector<std::uint32_t> extra_;  ///< by place of the slice, seen from the first GPC
};

}  // namespace sassim::arch
