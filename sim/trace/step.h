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

/// The lanes' byte addresses: base + lane * stride where that is all there is to say, else one per lane. What a lane
/// outside Step::lanes has is unspecified.
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
  /// The address that lane 0 has, or would have. Affine only.
  std::uint64_t base() const { return base_; }
  std::int64_t stride() const { return static_cast<std::int64_t>(stride_); }
  std::uint64_t operator[](int lane) const {
    return affine_ ? base_ + stride_ * static_cast<std::uint64_t>(lane) : list_[static_cast<std::size_t>(lane)];
  }
  /// All 32 at once; zero for lanes that are not in `lanes`.
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
  /// One address per lane, for the caller to fill. The builder finds strides by itself.
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
  std::uint64_t stride_ = 0;  ///< modulo 2^64: lanes may go down
  Array list_{};
};

struct Step {
  std::uint32_t index = 0;  ///< into KernelInfo::code
  LaneMask active;          ///< threads that are converged here
  LaneMask lanes;  ///< memory instructions and BAR: active threads whose guard is true, perhaps none; else == active
  bool has_addresses = false;
  /// After generic addresses were resolved; none where has_addresses is false and lanes == active.
  isa::Space space = isa::Space::none;
  /// Byte addresses in the instruction's space: shared 0-based in the block's window; local per-thread offsets 0-based;
  /// constant = bank << 32 | offset; global and generic virtual addresses. A generic access to a shared or local window
  /// is recorded with its window stripped, and `space` says which it was.
  LaneAddresses addresses;
  Detail detail;  ///< none where no lane takes part

  /// The same instruction, masks, and addresses and details of the lanes that count.
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
