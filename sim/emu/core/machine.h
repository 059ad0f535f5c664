// SPDX-License-Identifier: Apache-2.0
// The state of a running grid: warps with their fragments, blocks with shared memory and barriers.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/base/types.h"
#include "sim/emu/core/emulator.h"
#include "sim/emu/core/lanes.h"
#include "sim/emu/core/micro_op.h"
#include "sim/emu/order/rough_memory.h"

namespace sassim::emu {

struct Block;
struct Grid;
class AccessPool;
class SharingWatch;
struct RoughSm;

enum class FragmentState : std::uint8_t { ready, at_sync, at_warp_sync, at_barrier };
/// Of a fragment that can run: `next` is the one that split off last, `pool` are all others.
enum class Place : std::uint8_t { none, next, pool, yielded };
/// Why the current fragment stopped running.
enum class Handover : std::uint8_t { turn_over, yields, waits, gone };

/// Threads of a warp that share a PC. A fragment that splits copies the uniform registers: the compiler keeps only
/// values there that are the same on all sides of a divergent region.
struct Fragment {
  std::uint32_t pc = 0;  ///< index into the code
  std::uint32_t mask = 0;
  FragmentState state = FragmentState::ready;
  Place place = Place::none;
  bool released = false;        ///< has just passed a block barrier, and may join other fragments that have
  std::uint8_t barrier = 0;     ///< at_sync: convergence barrier; at_barrier: block barrier
  std::uint32_t sync_mask = 0;  ///< at_warp_sync: the threads that are waited for
  std::array<std::uint32_t, 64> ur{};
  std::uint8_t up = 0x80;  ///< bit per uniform predicate; UPT is always set
};

/// A warp's clock in cycles, in a kernel whose warps compete (timing.h).
struct WarpTime {
  std::uint64_t now = 0;
  std::uint64_t since = 0;  ///< start of the wait for shared memory: the longest wait is served first
  std::array<std::uint64_t, isa::kDependenceCounters> ready{};  ///< when the results of each counter arrive
  std::uint64_t turn_left = 0;  ///< instructions left before the current fragment's turn ends
  bool parked = false;          ///< waits until earlier accesses to global memory have been performed
  bool admitted = false;        ///< its access to global memory is the next one, at `now`
  std::uint8_t queue = 0;       ///< the queue of its SM that it waits in
  std::uint8_t been = 0;        ///< bit per queue: its access has had its turn there
};

/// When a warp continues, and since when it waits for shared memory. The latest time if all its threads wait for other
/// warps.
struct WarpTurn {
  std::uint64_t now = ~std::uint64_t{0}, since = 0;
  auto operator<=>(const WarpTurn&) const = default;
};

struct Warp {
  Block* block = nullptr;
  std::uint32_t index = 0;
  std::uint32_t alive = 0;  ///< threads that exist and have not exited
  Lanes* registers = nullptr;
  std::array<std::uint32_t, 8> predicates{};    ///< lane masks; PT is all ones
  std::array<std::uint32_t, 16> convergence{};  ///< per barrier: the threads that take part
  std::array<Lanes, 2> rpc{};                   ///< the register of RPCMOV
  std::vector<Fragment> fragments;
  std::size_t current = 0;
  int last_lane = 31;  ///< last lane of the fragment that ran last; the pool's threads take turns by lane
  Handover handover = Handover::turn_over;
  std::uint64_t executed = 0;
  std::uint64_t time_reads = 0;
  std::uint64_t path_hash = 0xcbf29ce484222325u;
  std::uint32_t reduction_count = 0;  ///< the last BAR.RED: threads that voted true
  bool reduction_truth = false;       ///< the predicate of the last BAR.RED
  std::uint32_t tries = 0;            ///< TRYWAITs in a row
  std::vector<std::byte> local;       ///< lanes' stacks, one after another
  WarpTime time = {};                 ///< in kernels whose warps compete
};

/// One of the 16 barriers of a block.
struct BlockBarrier {
  std::vector<std::uint32_t> arrived;   ///< per warp: its lanes that have arrived
  std::uint32_t expected = 0;           ///< threads that complete the barrier; 0: all of the block
  std::uint32_t votes = 0, voters = 0;  ///< BAR.RED
  std::uint8_t reduction = 0;           ///< BarrierReduction
  bool in_use = false;
};

struct Block {
  Grid* grid = nullptr;
  BlockId id;
  Dim3 ctaid{0, 0, 0};
  std::vector<Warp> warps;
  std::vector<std::byte> shared;
  std::vector<Lanes> register_rows;
  std::array<BlockBarrier, 16> barriers;
  std::uint32_t alive_warps = 0;
  std::uint64_t now = 0;                   ///< when the running warp got its turn, in kernels whose warps compete
  std::uint64_t shared_free = 0;           ///< when shared memory can take the next instruction
  std::vector<WarpTurn> turns;             ///< per warp
  bool released = false;                   ///< a barrier has released warps since `turns` was last used
  Warp* next = nullptr;                    ///< runs when the block has its turn
  std::uint64_t turn = ~std::uint64_t{0};  ///< time of that turn, in kernels whose blocks compete
  RoughSm* sm = nullptr;                   ///< the block's SM, in kernels whose blocks compete
};

/// Everything constant during a launch.
struct Grid {
  const Kernel* kernel = nullptr;
  const Program* program = nullptr;
  const LaunchConfig* launch = nullptr;
  const RunOptions* options = nullptr;
  DeviceMemory* memory = nullptr;
  std::array<std::vector<std::uint8_t>, 18> constants;
  std::uint32_t stack_bytes = 0;
  std::uint32_t shared_bytes = 0;
  std::uint64_t workspace = 0;   ///< cooperative launches
  std::uint64_t parameters = 0;  ///< a copy of the parameters, for kernels that take their address
  RunResult result;
  Contention contention = Contention::none;
  SharingWatch* watch = nullptr;  ///< detects that a block reads what another block has written
  RoughMemory behind;             ///< the L2, in kernels whose warps compete
  std::uint64_t loads = 0;        ///< loads through L1s so far, in kernels whose blocks compete
};

enum class Outcome : std::uint8_t {
  next,     ///< continue with the next instruction
  moved,    ///< the fragment has a new PC or has split
  stopped,  ///< the fragment waits or is gone
  yielded,  ///< continue, but let other fragments run first
  again,    ///< nothing has happened: let others run, then execute the instruction again
};

/// What an instruction reads and writes while it executes.
struct Context {
  Grid& grid;
  Block& block;
  Warp& warp;
  Fragment* fragment = nullptr;
  trace::Step* step = nullptr;  ///< filled when the run is recorded
  Outcome outcome = Outcome::next;
  bool uniform = false;            ///< lane 0's results go to the uniform registers and predicates
  std::uint32_t passes = 1;        ///< of the last atomic operation: most lanes on one word
  std::uint64_t accessed = 0;      ///< an address of the last access, of one lane
  std::uint64_t arrives = 0;       ///< when the result of an access to global memory arrives
  std::uint32_t sleeps = 0;        ///< nanoseconds, of the last instruction
  std::uint32_t global = 0;        ///< lanes whose last resolved addresses are in global memory
  AccessPool* deferred = nullptr;  ///< receives accesses to global memory that are performed later (global_access.h)

  std::uint32_t* row(std::uint8_t index) { return warp.registers[index].v; }
  const std::uint32_t* read_row(std::uint8_t index) const {
    return index == isa::kRZ ? kZeroLanes.v : warp.registers[index].v;
  }
  void write(std::uint8_t index, const Lanes& value, std::uint32_t mask) {
    if (index == isa::kRZ) return;
    if (uniform)
      fragment->ur[index] = value.v[0];
    else
      store_lanes(warp.registers[index].v, value, mask);
  }
  void write64(std::uint8_t index, const Lanes64& value, std::uint32_t mask);
  /// Adds a detail to the step, which then has no addresses.
  void record(trace::DetailKind kind, std::uint32_t value) {
    if (step == nullptr) return;
    step->has_addresses = false;
    step->detail.set(kind, value);
  }
  std::uint32_t predicate(const PredicateSource& p) const {
    if (p.uniform) return ((fragment->up >> p.index & 1) != 0) != p.negate ? kAllLanes : 0u;
    const std::uint32_t bits = warp.predicates[p.index];
    return p.negate ? ~bits : bits;
  }
  void write_predicate(std::uint8_t index, std::uint32_t bits, std::uint32_t mask) {
    if (index == isa::kPT) return;
    if (uniform)
      fragment->up = static_cast<std::uint8_t>((fragment->up & ~(1u << index)) | (bits & 1u) << index);
    else
      warp.predicates[index] = (warp.predicates[index] & ~mask) | (bits & mask);
  }
  /// 4 bytes of a constant bank; zero beyond its end.
  std::uint32_t constant(std::uint8_t bank, std::uint32_t offset) const;
  FaultSite site(const MicroOp& op, int lane, std::uint64_t address) const;
  [[noreturn]] void fault(FaultKind kind, const MicroOp& op, int lane, std::uint64_t address,
                          const std::string& detail) const;
};

/// Raw 32-bit values of a source. Points into the register file if it can, else to `scratch`.
const std::uint32_t* fetch_raw(Context&, const Source&, Lanes& scratch);
/// The same with integer modifiers applied: -x, ~x, |x|.
const std::uint32_t* fetch_int(Context&, const Source&, Lanes& scratch);
/// The same with float modifiers applied to the sign bit.
const std::uint32_t* fetch_f32(Context&, const Source&, Lanes& scratch);
/// 64-bit values: register pairs and doubles. `floating`: modifiers act on the sign bit.
const std::uint64_t* fetch64(Context&, const Source&, Lanes64& scratch, bool floating);
std::uint32_t fetch_uniform(Context&, const Source&);

// Divergence: fragments.cpp
void branch(Context&, std::uint32_t taken, std::uint32_t target);
void branch_each(Context&, const std::uint32_t* targets, std::uint32_t lanes);
void exit_lanes(Context&, std::uint32_t lanes);
void wait_at_sync(Context&, std::uint8_t barrier, std::uint32_t lanes);
/// `masks`: for each lane, the threads that it waits for. `exclusive`: threads with different masks continue as
/// separate fragments, even if they arrived together.
void wait_at_warp_sync(Context&, const std::uint32_t* masks, std::uint32_t lanes, bool exclusive);
void release_waiters(Warp&);
/// Joins the fragments that may join and chooses the next one to run; false when none is ready.
bool next_fragment(Warp&);

// Barriers of a block: barriers.cpp
enum class BarrierReduction : std::uint8_t { count, all, any };
struct Arrival {
  std::uint8_t barrier = 0;
  std::uint32_t threads = 0;  ///< that complete the barrier; 0: all of the block
  std::uint32_t lanes = 0;
  bool wait = true;
  bool reduce = false;
  std::uint32_t votes = 0;  ///< lanes
  BarrierReduction reduction = BarrierReduction::count;
};
void arrive(Context&, const Arrival&);
void check_barriers(Block&);

/// Names an instruction that cannot be executed: "opcode TEX in kernel f at PC 0x10 ('TEX R0, R2, R4, 0x10', sm_70)".
std::string place(const Kernel&, std::uint32_t index);
/// Lists where every warp is, for a run that does not end.
std::string progress_report(const std::vector<std::unique_ptr<Block>>& blocks);

}  // namespace sassim::emu
