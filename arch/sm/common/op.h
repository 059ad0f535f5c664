// SPDX-License-Identifier: Apache-2.0
// An instruction for a unit of the SM, and the events that the unit answers with.
//
// The latencies of an instruction that waits for no other, by configuration key; their sums are the published
// latencies:
//   issue to accept()                     memory_io.pipeline, plus memory_io.vector_address for a global, local or
//                                         generic address from vector registers
//   accept() to sources_read              0 for loads; memory_io.store_release (+ store_vector_release, + the wider
//                                         data's transfer) for stores; memory_io.async_release for LDGSTS
//   issue to written_back                 shared.latency, l1.hit_latency, constant.ldc_latency: the whole, the cycles
//                                         before accept() included; memory_io.vector_result less for a uniform address
// An event at cycle t means that an instruction which waits for that counter may issue at t.
#pragma once

#include <array>
#include <cstdint>

#include "arch/common/indices.h"
#include "arch/sm/common/live_accesses.h"
#include "sim/base/types.h"
#include "sim/isa/opcode.h"
#include "sim/trace/detail.h"

namespace sassim::arch {

/// The name of a memory instruction outside its processing block. Its events carry the name.
struct OpToken {
  std::uint32_t operation : 24 = 0;  ///< index among the Operations of the block
  std::uint32_t block : 8 = 0;       ///< number of the processing block in the SM

  constexpr OpToken() = default;
  constexpr OpToken(std::uint32_t block_number, std::uint32_t index)
      : operation(index & 0xffffffu), block(block_number & 0xffu) {}
  friend constexpr bool operator==(OpToken, OpToken) = default;

  template <class Archive>
  void state(Archive& archive) {
    std::uint32_t operation_index = operation, part = block;
    archive(operation_index, part);
    *this = OpToken(part, operation_index);
  }
};

/// An instruction that has left the address stage of its processing block.
struct UnitOp {
  OpToken token;  ///< the name that the issuer gave it; its events carry the name
  WarpSlot warp;
  std::uint32_t pc = 0;  ///< in bytes from the kernel's first instruction
  const isa::Decoded* decoded = nullptr;
  isa::Space space = isa::Space::none;  ///< generic addresses are resolved
  LaneMask lanes;                       ///< may be empty: the guard is false in all threads
  std::array<std::uint64_t, 32> addresses{};
  trace::CopyShifts copy_shifts;        ///< LDGSTS that bypasses the L1: destinations of the lanes
  std::uint32_t local_base_thread = 0;  ///< index of the warp's first thread on the GPU, which places its local memory
  std::uint32_t local_bytes = 0;        ///< local memory per thread of the kernel
  bool uniform_address = false;         ///< the address comes from a uniform register or a constant
  LiveId live;                          ///< the access of a live warp to global memory

  /// Tells constants of launches that run side by side apart: see ConstantMissPort.
  void constants_of(LaunchIndex launch) {
    if (launch == 0 || space != isa::Space::constant) return;
    for (std::uint64_t& address : addresses) address |= std::uint64_t{launch} << kLaunchShift;
  }
  static constexpr unsigned kLaunchShift = 48;

  template <class Archive>
  void state(Archive& archive) {
    // What is decoded follows from the PC: attach().
    archive(token, warp, pc, space, lanes, addresses, copy_shifts, local_base_thread, local_bytes, uniform_address,
            live);
  }
};

struct UnitEvent {
  enum class Kind : std::uint8_t {
    sources_read,  ///< the read counter may be decremented
    written_back,  ///< results of a load or atomic are in the registers: decrement the write counter
    departed,      ///< a store or reduction has left for the L2: its warp may end
    acknowledged,  ///< a store or reduction is visible (for MEMBAR and the end of a kernel)
  };
  Cycle time;
  OpToken token;
  Kind kind = Kind::sources_read;
};

}  // namespace sassim::arch
