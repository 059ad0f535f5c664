// SPDX-License-Identifier: Apache-2.0
// One executed warp instruction.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sim/base/types.h"
#include "sim/isa/opcode.h"
#include "sim/trace/detail.h"

namespace sassim::trace {

/// The byte addresses of the lanes: base + lane * stride if that describes all of them, otherwise one address per lane.
/// Lanes outside of Step::lanes have unspecified addresses.
class LaneAddresses {
 public:
  using Array = std::array<std::uint64_t, kWarpSize>;

  LaneAddresses() = default;
  LaneAddresses(const LaneAddresses& o) : affine_(o.affine_), base_(o.base_), stride_(o.stride_) {
    if (!affine_) list_ = o.list_;
  }
  LaneAddresses& operator=(const LaneAddresses& o) {
    affine_ = o.affine_;
    base_ = o.base_;
    stride_ = o.stride_;
    if (!affine_) list_ = o.list_;
    return *this;
  }

  bool affine() const { return affine_; }
  /// The address of lane 0, even if lane 0 takes no part. Only if affine.
  std::uint64_t base() const { return base_; }
  std::int64_t stride() const { return static_cast<std::int64_t>(stride_); }
  std::uint64_t operator[](int lane) const {
    return affine_ ? base_ + stride_ * static_cast<std::uint64_t>(lane) : list_[static_cast<std::size_t>(lane)];
  }
  /// All 32 addresses; zero for lanes outside of `lanes`.
  void expand(LaneMask lanes, Array& out) const {
    for (int lane = 0; lane < kWarpSize; ++lane)
      out[static_cast<std::size_t>(lane)] = lanes.test(lane) ? (*this)[lane] : 0;
  }

  void set_affine(std::uint64_t base, std::int64_t stride) {
    affine_ = true;
    base_ = base;
    stride_ = static_cast<std::uint64_t>(stride);
  }
  void set_list(const Array& all) { list() = all; }
  /// One address per lane, which the caller must set. The builder finds strides by itself.
  Array& list() {
    affine_ = false;
    return list_;
  }

  template <class Archive>
  void state(Archive& archive) {
    archive(affine_, base_, stride_);
    if (!affine_) archive(list_);
  }

 private:
  bool affine_ = true;
  std::uint64_t base_ = 0;
  std::uint64_t stride_ = 0;  ///< modulo 2^64: addresses may fall with the lane
  Array list_{};
};

struct Step {
  std::uint32_t index = 0;  ///< index into KernelInfo::code
  LaneMask active;          ///< threads of the fragment that executes
  LaneMask lanes;  ///< memory instructions and BAR: active threads whose guard is true, perhaps none; others: equal to
                   ///< `active`
  bool has_addresses = false;
  /// The space after generic addresses have been resolved; none if there are no addresses and lanes == active.
  isa::Space space = isa::Space::none;
  /// Byte addresses in the instruction's space. Shared: from 0 at the start of the block's window. Local: per-thread
  /// offsets from 0. Constant: bank << 32 | offset. Global and generic: virtual addresses. A generic access to the
  /// shared or local window is recorded relative to the window, with `space` shared or local.
  LaneAddresses addresses;
  Detail detail;  ///< none if no lane takes part

  /// Compares instruction, masks, and the addresses and details of the lanes that take part.
  friend bool operator==(const Step& a, const Step& b) {
    if (a.index != b.index || a.active != b.active || a.lanes != b.lanes || a.has_addresses != b.has_addresses ||
        a.space != b.space)
      return false;
    for (int lane = 0; a.has_addresses && lane < kWarpSize; ++lane)
      if (a.lanes.test(lane) && a.addresses[lane] != b.addresses[lane]) return false;
    return a.lanes.none() || a.detail.same(b.detail, a.lanes);
  }
};

}  // namespace sassim::trace
