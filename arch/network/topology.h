// SPDX-License-Identifier: Apache-2.0
// Where endpoints are on the chip: the GPC of an SM; which half of the chip an SM, a slice or the walker is in; and how
// much farther than the nearest slice of a half another one is from an SM. This is the only place that knows.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/network/endpoint.h"
#include "sim/base/types.h"
#include "sim/config/gpu_config.h"

namespace sassim::arch {

class Topology {
 public:
  explicit Topology(const config::GpuConfig& config);

  std::uint32_t gpcs() const { return gpcs_; }
  std::uint32_t gpc(SmId sm) const { return gpc_[sm.value]; }

  /// Two where the L2 is in two halves, else one.
  std::uint32_t halves() const { return halves_; }
  /// Slices 0 to n / 2 - 1 are in half 0, the others in half 1. The walker is in half 0 (assumed).
  std::uint32_t half(Endpoint of) const {
    if (of.is_sm()) return half_[of.sm().value];
    return of.is_slice() && of.slice() >= slices_ / 2 ? 1 : 0;
  }
  /// Are the two in different halves of an L2 that has two?
  bool apart(Endpoint a, Endpoint b) const { return halves_ > 1 && half(a) != half(b); }
  /// The slice of the same number in the other half.
  std::uint32_t twin(std::uint32_t slice) const {
    return slice < slices_ / 2 ? slice + slices_ / 2 : slice - slices_ / 2;
  }

  /// Cycles beyond those to the nearest slice of a half. Seen from one SM the slices of a half lie evenly between
  /// nearest and farthest; another GPC sees the same slices in another order (l2.line.* of
  /// validation/hardware/h200.json: SMs of a TPC agree, those of other GPCs differ).
  Cycle distance(SmId sm, std::uint32_t slice) const {
    if (spread_ == 0) return Cycle{0};
    return Cycle{extra_[(slice % half_slices_ + first_ + std::size_t{gpc(sm)} * step_) % half_slices_]};
  }

 private:
  static constexpr std::uint32_t kUnknownGpcs = 8;  ///< where the configuration does not tell

  void place_sms(const config::GpuConfig& config);
  void place_slices(const config::CrossbarConfig& crossbar);

  std::uint32_t gpcs_ = kUnknownGpcs, halves_;
  std::vector<std::uint32_t> gpc_;  ///< by SM
  std::vector<std::uint8_t> half_;  ///< by SM
  std::uint32_t slices_, half_slices_, spread_, step_ = 0, first_ = 0;
  std::vector<std::uint32_t> extra_;  ///< by place of the slice, as the first SMs see it
};

}  // namespace sassim::arch
