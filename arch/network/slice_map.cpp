// SPDX-License-Identifier: Apache-2.0
// Maps an address to an L2 slice and a line in it: by half of the chip, group of slices, and a hash.
#include "arch/network/slice_map.h"

#include "sim/base/error.h"
#include "sim/base/types.h"
#include "sim/config/groups/memory.h"

namespace sassim::arch {

namespace {
constexpr std::uint32_t kRequestLine = 128;  ///< most bytes of one request of an SM
}

SliceMap::SliceMap(const config::Memory& config)
    : slices_(config.l2.slices),
      interleave_(config.l2.interleave),
      line_(config.l2.line),
      halves_(config.halves.span != 0 ? config.halves.parts : 1),
      half_interleave_(config.halves.span),
      group_(config.l2.group.members),
      group_interleave_(config.l2.group.span != 0 ? config.l2.group.span
                                                  : config.l2.group.members * config.l2.interleave),
      hash_(AddressHash::make(config.l2.hash)) {
  if (slices_ == 0) throw InputError("memory.l2.slices is 0; a GPU has at least one");
  if (line_ == 0 || line_ % kRequestLine != 0 || line_ > 512)
    throw InputError("memory.l2.line is {} bytes; expected 128, 256, 384 or 512: SMs request lines of 128 bytes",
                     line_);
  if (interleave_ == 0 || interleave_ % line_ != 0)
    throw InputError("memory.l2.interleave is {} bytes; expected a multiple of the line, {} bytes", interleave_, line_);
  if (slices_ % (halves_ * group_) != 0)
    throw InputError(
        "memory.l2.slices is {}; expected a multiple of {}, the slices of a group (memory.l2.group.members) in each "
        "half",
        slices_, halves_ * group_);
  if (group_interleave_ % (group_ * interleave_) != 0)
    throw InputError("memory.l2.group.span is {} bytes; expected a multiple of group.members x interleave, {} bytes",
                     group_interleave_, group_ * interleave_);
  if (halves_ > 1 && half_interleave_ % group_interleave_ != 0)
    throw InputError("memory.halves.span is {} bytes; expected a multiple of l2.group.span, {} bytes", half_interleave_,
                     group_interleave_);
  lines_per_unit_ = interleave_ / line_;
  turns_ = group_interleave_ / interleave_ / group_;
}

SliceMap::Place SliceMap::place(std::uint64_t address) const {
  std::uint32_t half = 0;
  if (halves_ > 1) {
    const std::uint64_t stretch = address / half_interleave_;
    const AddressHash::Place at = hash_->place(stretch, halves_);
    half = at.target;
    address = at.row * half_interleave_ + (address - stretch * half_interleave_);
  }
  const std::uint64_t stretch = address / group_interleave_;
  const AddressHash::Place group = hash_->place(stretch, slices_ / (halves_ * group_));
  const auto inside = static_cast<std::uint32_t>(address - stretch * group_interleave_);
  const std::uint32_t piece = inside / interleave_, in_piece = inside - piece * interleave_;
  // Which slice of a group holds the first piece differs from stretch to stretch.
  const std::uint32_t member = group_ == 1 ? 0 : (piece + hash_->offset(~stretch, group_)) % group_;
  const std::uint32_t line = in_piece / line_;
  return {SliceId((half * (slices_ / halves_ / group_) + group.target) * group_ + member),
          LineAddress((group.row * turns_ + piece / group_) * lines_per_unit_ + line),
          (in_piece - line * line_) / kSectorBytes};
}

}  // namespace sassim::arch
