// SPDX-License-Identifier: Apache-2.0
// What copies of Hopper's copy engine have in common: their operands are in uniform registers, and one instruction
// copies for the warp as a whole.
#pragma once

#include <bit>

#include "sim/emu/core/memory_access.h"

namespace sassim::emu {

inline constexpr std::uint32_t kCopyUnit = 16;  ///< sizes of bulk copies count so many bytes; all addresses are aligned

inline std::uint64_t uniform_pair(const Context& c, unsigned ureg) {
  return c.fragment->ur[ureg & 63] | std::uint64_t{c.fragment->ur[(ureg + 1) & 63]} << 32;
}

/// `bytes` of shared memory. The address names the thread block of a cluster in its high byte; without clusters a block
/// is alone, and the byte is dropped.
std::byte* shared_of_copy(Context&, const MicroOp&, int lane, std::uint32_t address, std::uint64_t bytes);

/// The address of the same place in the shared memory of the block with this rank.
std::uint32_t in_block_of_rank(std::uint32_t address, unsigned rank);
/// Calls `act(rank)` for each block of a multicast, whose mask has a bit for each rank.
template <class Act>
void for_ranks(std::uint32_t mask, Act act) {
  for (; mask != 0; mask &= mask - 1) act(static_cast<unsigned>(std::countr_zero(mask)));
}

/// Copies that the timing model does not know are executed with --functional only.
void require_untimed(const Context&, const MicroOp&);

/// Reads the operation of a reduction into op.mode.
void decode_reduction(Decoder&);
/// Writes `bytes` from one place to another, or combines them there if op.size, an element's bytes, is not 0: by
/// op.mode (Operation) as numbers of the type op.mode2 (Type).
void put_copied(const MicroOp&, std::byte* to, const std::byte* from, std::uint64_t bytes);

// Forms of UBLKCP in bulk_store.cpp.
void decode_bulk_store(Decoder&);
void decode_bulk_to_block(Decoder&);

}  // namespace sassim::emu
