// SPDX-License-Identifier: Apache-2.0
// The SM-shared part of the memory pipeline, as the processing blocks see it: shared memory, L1, and what lies beyond.
//
// Who waits for what, so that the published latencies come out as sums (unloaded, from the issue of a memory
// instruction):
//   issue to accept()                     memory_io.pipeline, plus memory_io.vector_address for a global, local or
//                                         generic address from vector registers
//   accept() to sources_read              0 for loads; memory_io.store_release (+ store_vector_release, + the wider
//                                         data's transfer) for stores; memory_io.async_release for LDGSTS
//   issue to written_back                 shared.latency, l1.hit_latency, constant.ldc_latency: the whole, the cycles
//                                         before accept() included; memory_io.vector_result less for a uniform address
// An event at cycle t means: an instruction that waits for that counter may issue at t.
#pragma once

#include <array>

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

/// A memory instruction that left its block's address stage.
struct LsuOp {
  OpToken token;  ///< the issuer's name for it; events carry it back
  WarpSlot warp;
  std::uint32_t pc = 0;  ///< in bytes from the start of the kernel
  const isa::Decoded* decoded = nullptr;
  isa::Space space = isa::Space::none;  ///< after generic addresses were resolved
  LaneMask lanes;                       ///< may be empty: guard false in all threads
  std::array<std::uint64_t, 32> addresses{};
  trace::CopyShifts copy_shifts;        ///< LDGSTS past the L1: of the lanes' destinations
  std::uint32_t local_base_thread = 0;  ///< first thread's index on the GPU: places local memory
  std::uint32_t local_bytes = 0;        ///< local memory per thread of the kernel
  bool uniform_address = false;         ///< address from a uniform register or constant
  trace::LiveAccess* live = nullptr;    ///< of a live warp, to global memory

  template <class Archive>
  void state(Archive& archive) {
    // What is decoded follows from the PC: attach(). Live launches have no checkpoints.
    archive(token, warp, pc, space, lanes, addresses, copy_shifts, local_base_thread, local_bytes, uniform_address);
  }
};

struct LsuEvent {
  enum class Kind : std::uint8_t {
    sources_read,  ///< the read counter may be released
    written_back,  ///< results are in the register file (loads, atomics): release the write counter
    departed,      ///< a store or reduction is on its way to the L2: its warp may end
    acknowledged,  ///< a store or reduction is visible (MEMBAR, drain)
  };
  Cycle time;
  OpToken token;
  Kind kind = Kind::sources_read;
};

class LoadStoreUnit {
 public:
  virtual ~LoadStoreUnit() = default;
  virtual bool can_accept(Cycle now) const = 0;
  /// Once can_accept() said no: the earliest cycle at which it may say yes; kNever when cycle() has to act first.
  virtual Cycle accept_ready(Cycle now) const { return now + 1; }
  virtual void accept(const LsuOp& op, Cycle now) = 0;
  /// One cycle of everything inside; only called when next_event() <= now or accept() was called.
  virtual void cycle(Cycle now) = 0;
  /// The next event due at or before `now`.
  virtual bool pop_event(Cycle now, LsuEvent& event) = 0;
  /// The earliest cycle at which cycle() or pop_event() has something to do; kNever when idle but for replies.
  virtual Cycle next_event() const = 0;
  virtual bool idle() const = 0;
  /// A block of `shared_bytes` carve-out was chosen for the kernel: the rest of the array is L1. Empties the L1.
  virtual void start_kernel(std::uint64_t carveout_bytes, bool keep_caches) = 0;
  /// What the L1 holds, and what is on its way to it, may be out of date (CCTL.IVALL).
  virtual void forget_lines() {}
  /// The warps of the next kernel are live, and read this memory; nullptr: they are not.
  virtual void start_live(const trace::LiveMemory* memory) {
    if (memory != nullptr) throw NotSupported("this memory pipeline knows no live warps");
  }
  /// A live access to global memory has issued; accept() gets it later. `past_l1`: it wants nothing that the L1 has.
  virtual void begin(trace::LiveAccess& /*access*/, bool /*past_l1*/) {}
  /// Between epochs: a request of live accesses is at the memory.
  virtual void serve(const MemRequest& /*request*/) {}
  virtual void report(stats::MetricSet& metrics) const = 0;
  /// Adds what the L1 has done since the kernel's start.
  virtual void add_activity(Activity& /*sum*/) const {}
  /// Who waits for what inside.
  virtual void describe_waits(WaitGraph& /*graph*/, SmId /*sm*/) const {}
  /// Where to count what each line of the code asks for; nullptr: nowhere.
  virtual void account(StallTable* /*lines*/) {}
  /// Whom to tell of accesses to the L1; nullptr: nobody.
  virtual void observe(AccessObserver* /*observer*/) {}
  /// The state between two cycles, of launches whose warps are not live.
  virtual void save(StateWriter& /*to*/) const { throw NotSupported("this memory pipeline has no checkpoints"); }
  /// After start_kernel() for the same launch.
  virtual void load(StateReader& /*from*/, const StaticCode& /*code*/) {
    throw NotSupported("this memory pipeline has no checkpoints");
  }
};

}  // namespace sassim::arch
