// SPDX-License-Identifier: Apache-2.0
// Finds and checks the bytes that the lanes of an instruction access.
#pragma once

#include "sim/emu/core/machine.h"
#include "sim/emu/core/semantics.h"

namespace sassim::emu {

struct Access {
  std::byte* at[32];        ///< per active lane
  bool contiguous = false;  ///< all 32 lanes access adjacent places, in lane order
};

/// Addresses of all lanes, in the instruction's own space. Those of global memory are the simulated GPU's, also where
/// the program has an address of the host.
void lane_addresses(Context&, const MicroOp&, Lanes64& to);
/// The same in another space, which is not global memory.
void lane_offsets(Context&, const AddressSource&, Lanes64& to);
/// The lanes of `mask` whose generic address is in the window of `bytes` that begins at `window`.
std::uint32_t lanes_within(const Lanes64& addresses, std::uint64_t window, std::uint64_t bytes, std::uint32_t mask);
/// The warp looks at memory: what it may be waiting for.
inline void ask(Context& c, const MicroOp& op, const Lanes64& addresses, std::uint32_t mask) {
  c.warp.asked = {addresses.v[first_lane(mask)], c.warp.executed, static_cast<isa::Space>(op.space), op.size, op.index};
}
/// Finds the memory of the active lanes, or throws DeviceFault; records the addresses. `space` is an isa::Space.
void resolve(Context&, const MicroOp&, isa::Space space, const Lanes64& addresses, unsigned bytes, std::uint32_t mask,
             Access& to);

/// Reads the data type of a memory operation from its modifiers: bytes per lane, and whether narrow values are
/// sign-extended.
void decode_width(Decoder& d);

/// Takes `bytes` from the transactions that the barrier of 64 bits in shared memory waits for.
void complete_transactions(Context&, const MicroOp&, std::byte* barrier, std::uint32_t bytes);

}  // namespace sassim::emu
