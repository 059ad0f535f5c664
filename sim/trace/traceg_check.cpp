// SPDX-License-Identifier: Apache-2.0
// Refuses Accel-Sim traces that are cut off, or lack blocks, warps, exits or addresses.
#include "sim/trace/traceg_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/trace/kernel.h"

namespace sassim::trace {

TracegCheck::TracegCheck(const LineReader& in, const TracegHeader& header, const TracegCode& code)
    : in_(in), header_(header), code_(code) {}

void TracegCheck::begin_block(const Dim3& at) {
  if (!blocks_.insert(block_index(header_.grid, at)).second)
    in_.fail(fmt::format("block {},{},{} appears twice", at.x, at.y, at.z));
  warps_.assign(code_.kernel().warps_per_block(), false);
}

void TracegCheck::begin_warp(std::uint32_t warp) {
  end_warp();
  if (warps_.at(warp)) in_.fail(fmt::format("warp {} appears twice in a block", warp));
  warps_[warp] = true;
  warp_ = warp;
  const std::uint64_t left = header_.block.count() - std::uint64_t{warp} * kWarpSize;
  threads_ = left >= kWarpSize ? LaneMask::all() : LaneMask((1u << left) - 1);
  exited_ = {};
}

void TracegCheck::instruction(const TracegInstruction& line, std::uint32_t index) {
  const LaneMask lanes(line.mask);
  if (!(lanes & ~threads_).none())
    in_.fail(fmt::format("threads {:#010x} execute, but the warp has {:#010x}", lanes.bits, threads_.bits));
  if (!(lanes & exited_).none())
    in_.fail(fmt::format("threads {:#010x} continue after their EXIT", (lanes & exited_).bits));
  if (code_.needs_addresses(index) && !lanes.none() && !line.has_addresses)
    in_.fail(fmt::format("{} accesses memory, but the line has no addresses", line.opcode));
  if (code_.exits(index)) exited_ = exited_ | lanes;
}

void TracegCheck::end_warp() {
  if (warp_ && exited_ != threads_)
    in_.fail(fmt::format("threads {:#010x} of warp {} did not reach EXIT: instructions are missing",
                         (threads_ & ~exited_).bits, *warp_));
  warp_.reset();
}

void TracegCheck::end_block() {
  end_warp();
  const auto missing = std::ranges::find(warps_, false);
  if (missing != warps_.end())
    in_.fail(fmt::format("the block has no warp {}; blocks of {} threads have {}", missing - warps_.begin(),
                         header_.block.count(), warps_.size()));
}

void TracegCheck::end_file() const {
  const std::uint64_t count = header_.grid.count();
  if (blocks_.size() == count) return;
  std::uint64_t missing = 0;
  for (const std::uint64_t block : blocks_) missing += block == missing ? 1 : 0;
  const Dim3 at = block_position(header_.grid, missing);
  in_.fail(
      fmt::format("the file has {} of the grid's {} blocks, without {},{},{}: it was cut off, or not all of the "
                  "kernel was traced",
                  blocks_.size(), count, at.x, at.y, at.z));
}

}  // namespace sassim::trace
