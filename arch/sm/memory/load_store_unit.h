// SPDX-License-Identifier: Apache-2.0
// The part of the memory pipeline that an SM's processing blocks share, as they see it: shared memory, the L1 and what
// lies behind it.
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

#include <algorithm>
#include <array>
#include <vector>

#include "arch/common/access_observer.h"
#include "arch/common/activity.h"
#include "arch/network/messages.h"
#include "arch/sm/issue/stall_table.h"
#include "arch/sm/memory/op_token.h"
#include "sim/base/error.h"
#include "sim/base/types.h"
#include "sim/base/wait_graph.h"
#include "sim/isa/opcode.h"
#include "sim/stats/metrics.h"
#include "sim/trace/detail.h"
#include "sim/trace/live.h"

namespace sassim {
class StateReader;
class StateWriter;
}  // namespace sassim

namespace sassim::arch {

class StaticCode;

/// A memory instruction that has left the address stage of its processing block.
struct LsuOp {
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
  trace::LiveAccess* live = nullptr;    ///< the access of a live warp to global memory

  /// Tells constants of launches that run side by side apart: see ConstantMissPort.
  void constants_of(std::uint32_t launch) {
    if (launch == 0 || space != isa::Space::constant) return;
    for (std::uint64_t& address : addresses) address |= std::uint64_t{launch} << kLaunchShift;
  }
  static constexpr unsigned kLaunchShift = 48;

  template <class Archive>
  void state(Archive& archive) {
    // What is decoded follows from the PC: attach(). Live launches have no checkpoints.
    archive(token, warp, pc, space, lanes, addresses, copy_shifts, local_base_thread, local_bytes, uniform_address);
  }
};

struct LsuEvent {
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

class LoadStoreUnit {
 public:
  virtual ~LoadStoreUnit() = default;
  virtual bool can_accept(Cycle now) const = 0;
  /// After can_accept() returned false: the earliest cycle in which it may return true; kNever if cycle() must act
  /// first.
  virtual Cycle accept_ready(Cycle now) const { return now + 1; }
  virtual void accept(const LsuOp& op, Cycle now) = 0;
  /// The same for LDC, S2R and S2UR that come through a queue of their own (memory_io.adu_queue).
  virtual Cycle adu_ready(const LsuOp& /*op*/, Cycle now) const { return now; }
  virtual void accept_adu(const LsuOp& op, Cycle now) { accept(op, now); }
  /// The same for accesses through the texture unit.
  virtual Cycle texture_ready(Cycle now) const { return can_accept(now) ? now : std::max(now + 1, accept_ready(now)); }
  virtual void accept_texture(const LsuOp& op, Cycle now) { accept(op, now); }
  /// One cycle of all parts; called only when next_event() <= now or after accept().
  virtual void cycle(Cycle now) = 0;
  /// Takes the next event that is due at or before `now`.
  virtual bool pop_event(Cycle now, LsuEvent& event) = 0;
  /// The earliest cycle in which cycle() or pop_event() has work; kNever if only a reply can cause some.
  virtual Cycle next_event() const = 0;
  virtual bool idle() const = 0;
  /// The kernel's shared memory takes `carveout_bytes`; the L1 gets the rest. The L1 is emptied unless `keep_caches` is
  /// set and its size stays.
  virtual void start_kernel(std::uint64_t carveout_bytes, bool keep_caches) = 0;
  /// Pages whose translations the launch finds (SmLaunch::translated).
  virtual void know(const std::vector<std::uint64_t>* /*pages*/) {}
  /// Changes the carve-out for a launch that begins while others run; counters keep their values. Requires an SM
  /// without thread blocks, and idle().
  virtual void carve(std::uint64_t /*carveout_bytes*/) {}
  /// Lines in the L1 and in flight may be out of date (CCTL.IVALL).
  virtual void forget_lines() {}
  /// Memory that the live warps of the next kernel read; nullptr: the kernel is a replay.
  virtual void start_live(const trace::LiveMemory* memory) {
    if (memory != nullptr) throw NotSupported("this memory pipeline does not execute live warps");
  }
  /// A live access to global memory has issued; accept() receives it later. `past_l1`: it does not use data of the L1.
  virtual void begin(trace::LiveAccess& /*access*/, bool /*past_l1*/) {}
  /// Between epochs: a request of live accesses has reached the memory.
  virtual void serve(const MemRequest& /*request*/) {}
  virtual void report(stats::MetricSet& metrics) const = 0;
  /// Adds the L1's counts since the start of the kernel.
  virtual void add_activity(Activity& /*sum*/) const {}
  /// Adds to the graph what the parts wait for.
  virtual void describe_waits(WaitGraph& /*graph*/, SmId /*sm*/) const {}
  /// Where to count the traffic of each line of code; nullptr: nowhere.
  virtual void account(StallTable* /*lines*/) {}
  /// The observer of accesses to the L1; nullptr: none.
  virtual void observe(AccessObserver* /*observer*/) {}
  /// The state between two cycles, of launches whose warps are not live.
  virtual void save(StateWriter& /*to*/) const { throw NotSupported("this memory pipeline has no checkpoints"); }
  /// After start_kernel() for the same launch.
  virtual void load(StateReader& /*from*/, const StaticCode& /*code*/) {
    throw NotSupported("this memory pipeline has no checkpoints");
  }
};

}  // namespace sassim::arch
