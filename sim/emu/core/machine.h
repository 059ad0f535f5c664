// SPDX-License-Identifier: Apache-2.0
// The emulator's state while a grid runs, and functions that change it: warps with their fragments, blocks with shared
// memory and barriers.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/base/types.h"
#include "sim/base/wait_graph.h"
#include "sim/emu/core/emulator.h"
#include "sim/emu/core/micro_op.h"
#include "sim/emu/core/word_takers.h"
#include "sim/emu/memory/address_space.h"
#include "sim/emu/memory/lanes.h"

namespace sassim::emu {

struct Block;
struct Cluster;
struct Grid;
class AccessPool;
class AccessWatch;

enum class FragmentState : std::uint8_t { ready, at_sync, at_warp_sync, at_barrier };
/// Of a fragment that can run: `next` is the one that split off last, `pool` are all others.
enum class Place : std::uint8_t { none, next, pool, yielded };
/// Fragment::barrier of a thread that waits at the barrier of its cluster.
inline constexpr std::uint8_t kClusterBarrier = 16;
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
  bool collective = false;      ///< at_warp_sync: it waits at a WARPSYNC.COLLECTIVE
  bool joined = false;          ///< its threads have met at a WARPSYNC, which they execute once more
  bool asks = false;            ///< at_warp_sync: threads have yielded since it executed its WARPSYNC
  std::uint64_t wakes = 0;      ///< cycle at which its NANOSLEEP ends
  std::array<std::uint32_t, 64> ur{};
  std::uint8_t up = 0x80;  ///< bit per uniform predicate; UPT is always set
};

/// What sent threads of a warp to the stack of divergence: where they go on, and what takes them from it.
enum class StackReason : std::uint8_t {
  sync,      ///< SSY: threads meet behind SYNC
  brk,       ///< PBK: behind BRK
  cont,      ///< PCNT: behind CONT
  ret,       ///< CAL, PRET: behind RET
  diverged,  ///< the side of a branch that runs later
};
struct StackEntry {
  StackReason reason = StackReason::sync;
  std::uint32_t mask = 0;
  std::uint32_t pc = 0;  ///< index into the code
};

/// The flags of CC, a bit per lane: what an integer operation tells about its result.
struct ConditionCodes {
  std::uint32_t zero = 0, sign = 0, overflow = 0;
  std::uint32_t carry = 0, second_carry = 0;  ///< a sum of three may carry twice
};

/// Where a warp looked at memory: of one of its lanes.
struct MemoryQuestion {
  std::uint64_t address = 0, executed = 0;  ///< executed: by the warp, until then
  isa::Space space = isa::Space::global;
  std::uint8_t bytes = 0;   ///< 0: it has not asked yet
  std::uint32_t index = 0;  ///< of the instruction in the code
};

struct Warp {
  Block* block = nullptr;
  std::uint32_t index = 0;
  std::uint32_t alive = 0;  ///< threads that exist and have not exited
  Lanes* registers = nullptr;
  std::array<std::uint32_t, 8> predicates{};    ///< lane masks; PT is all ones
  std::array<std::uint32_t, 16> convergence{};  ///< per barrier: the threads that take part
  ConditionCodes cc;                            ///< 64-bit instruction sets
  std::vector<StackEntry> stack;                ///< the same: a warp has one fragment, whose other threads wait here
  std::array<Lanes, 2> rpc{};                   ///< the register of RPCMOV
  std::array<std::uint32_t, 32> collective{};   ///< per lane: the threads that ran with it before WARPSYNC.COLLECTIVE
  std::vector<Fragment> fragments;
  std::size_t current = 0;
  std::uint64_t now = 0;  ///< cycle of the timing model, if that executes the warp
  int last_lane = 31;     ///< last lane of the fragment that ran last; the pool's threads take turns by lane
  Handover handover = Handover::turn_over;
  std::uint64_t executed = 0;
  std::uint64_t time_reads = 0;
  std::uint64_t turn_left = 0;        ///< of the current fragment, which goes on: instructions
  MemoryQuestion asked = {};          ///< the last load or atomic operation
  std::uint32_t reduction_count = 0;  ///< the last BAR.RED: threads that voted true
  bool reduction_truth = false;       ///< the predicate of the last BAR.RED
  std::uint32_t tries = 0;            ///< TRYWAITs in a row
  std::uint32_t cluster_arrived = 0;  ///< threads that have arrived at the barrier of the cluster
  std::vector<std::byte> local;       ///< lanes' stacks, one after another
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
  std::vector<std::uint64_t> locked;  ///< words of shared memory that a thread has locked (LDSLK)
  std::uint32_t alive_warps = 0;
  std::shared_ptr<Cluster> cluster = {};  ///< nullptr: the launch has no clusters
  std::uint32_t rank = 0;                 ///< in the cluster
};

/// A lane's operation of an instruction that reduces.
struct Reduction {
  const MicroOp* op;
  std::byte* at;
  std::uint64_t value;
};

/// What all blocks of a launch share: its code and options, constants, memory, and what is counted.
struct Grid {
  const Kernel* kernel = nullptr;
  const Program* program = nullptr;
  const LaunchConfig* launch = nullptr;
  const RunOptions* options = nullptr;
  DeviceMemory* memory = nullptr;
  std::array<std::vector<std::uint8_t>, 18> constants;
  std::uint32_t stack_bytes = 0;
  std::uint32_t shared_bytes = 0;
  Windows windows = kWindows;
  std::uint64_t workspace = 0;   ///< cooperative launches; gone after the launch
  std::uint64_t parameters = 0;  ///< a copy of the parameters, for kernels that take their address
  RunResult result;
  AccessWatch* watch = nullptr;                  ///< hears of accesses to global memory
  std::vector<Reduction>* reductions = nullptr;  ///< receives reductions, which somebody performs later
  /// Of all copies of this grid.
  std::shared_ptr<WordTakers> takers = std::make_shared<WordTakers>();
  std::uint64_t changes = 0;  ///< rises when a warp changes memory, prints, reads a clock or ends: standstill.h
  /// Rises when a warp changes global memory, calls the driver, or uses memory of the host, which may change at any
  /// time: RunResult::settled.
  std::uint64_t effects = 0;
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

/// Performs a reduction of Grid::reductions; true if memory has changed.
bool perform(const Reduction&);

/// The instruction accesses memory that others may see without telling Grid::watch.
void access_untold(Context&);

/// fetch_raw() of a constant, or of a uniform register.
const std::uint32_t* fetch_elsewhere(Context&, const Source&, Lanes& scratch);
/// fetch_int() and fetch_f32() of a source with modifiers, from its raw values.
const std::uint32_t* modify_int(const std::uint32_t* raw, const Source&, Lanes& scratch);
const std::uint32_t* modify_f32(const std::uint32_t* raw, const Source&, Lanes& scratch);

/// Raw 32-bit values of a source. Points into the register file if it can, else to `scratch`.
[[gnu::always_inline]] inline const std::uint32_t* fetch_raw(Context& context, const Source& source, Lanes& scratch) {
  if (source.kind == SourceKind::reg) return context.read_row(source.index);
  if (source.kind == SourceKind::imm) {
    broadcast(static_cast<std::uint32_t>(source.value), scratch);
    return scratch.v;
  }
  if (source.kind == SourceKind::zero) return kZeroLanes.v;
  return fetch_elsewhere(context, source, scratch);
}
/// The same with integer modifiers applied: -x, ~x, |x|.
[[gnu::always_inline]] inline const std::uint32_t* fetch_int(Context& context, const Source& source, Lanes& scratch) {
  const std::uint32_t* const raw = fetch_raw(context, source, scratch);
  return source.plain() ? raw : modify_int(raw, source, scratch);
}
/// The same with float modifiers applied to the sign bit.
[[gnu::always_inline]] inline const std::uint32_t* fetch_f32(Context& context, const Source& source, Lanes& scratch) {
  const std::uint32_t* const raw = fetch_raw(context, source, scratch);
  return source.negate || source.absolute ? modify_f32(raw, source, scratch) : raw;
}
/// 64-bit values: register pairs and doubles. `floating`: modifiers act on the sign bit.
const std::uint64_t* fetch64(Context&, const Source&, Lanes64& scratch, bool floating);
/// The words of a 64-bit source that is the same in all lanes, without its modifiers.
void split_scalar64(const Context&, const Source&, Lanes& low, Lanes& high);
std::uint32_t fetch_uniform(Context&, const Source&);

/// The instruction at a byte offset from the start of the kernel, or at an address; a place without code is a fault.
std::uint32_t code_index(Context&, const MicroOp&, int lane, std::int64_t offset);
std::uint32_t code_index_at(Context&, const MicroOp&, int lane, std::uint64_t address);

// Divergence: fragments.cpp
/// The lanes in `taken` go to `target`, an index into the code; the fragment's others to the next instruction.
void branch(Context&, std::uint32_t taken, std::uint32_t target);
/// The same for `lanes`, each with a target of its own.
void branch_each(Context&, const std::uint32_t* targets, std::uint32_t lanes);
void exit_lanes(Context&, std::uint32_t lanes);
/// BSYNC: the lanes wait until all threads that take part in the convergence barrier have arrived.
void wait_at_sync(Context&, std::uint8_t barrier, std::uint32_t lanes);
/// WARPSYNC. `masks`: for each lane, the threads that it waits for. `exclusive`: threads with different masks continue
/// as separate fragments, even if they arrived together. `collective`: the same, and end_collective() ends what they do
/// together.
enum class WarpSyncKind : std::uint8_t { plain, exclusive, collective };
void wait_at_warp_sync(Context&, const std::uint32_t* masks, std::uint32_t lanes, WarpSyncKind kind);
/// Threads that a WARPSYNC.COLLECTIVE has brought together continue apart, as they came.
void end_collective(Context&);
/// Lets threads go on that wait at a WARPSYNC for threads that have arrived or exited.
void release_waiters(Warp&);
/// Joins the fragments that may join and chooses the next one to run; false when none is ready.
bool next_fragment(Warp&);
/// True if the fragment could run but sleeps.
inline bool sleeps(const Warp& warp, const Fragment& f) {
  return f.wakes > warp.now && f.state == FragmentState::ready;
}

// Barriers of a block: barriers.cpp
enum class BarrierReduction : std::uint8_t { count, all, any };
/// Lanes of a warp that execute a BAR.
struct Arrival {
  std::uint8_t barrier = 0;
  std::uint32_t threads = 0;  ///< that complete the barrier; 0: all of the block
  std::uint32_t lanes = 0;
  bool wait = true;         ///< false: they arrive and go on (BAR.ARV)
  bool reduce = false;      ///< BAR.RED
  std::uint32_t votes = 0;  ///< lanes
  BarrierReduction reduction = BarrierReduction::count;
};
void arrive(Context&, const Arrival&);
/// Releases the barriers that are complete now, because threads have exited.
void check_barriers(Block&);

/// Names an instruction that cannot be executed: "opcode TEX in kernel f at PC 0x10 ('TEX R0, R2, R4, 0x10', sm_70)".
std::string place(const Kernel&, std::uint32_t index);
/// What the warps of the blocks wait for, or are busy with.
WaitGraph waits_of(std::span<const Block* const> blocks);
/// The end of a run that does not end by itself: "kernel NAME `why`; its warps are at: ...".
Stuck stuck(const Kernel&, const std::string& why, std::span<const Block* const> blocks);
/// Why Standstill has ended it.
std::string standstill_reason(std::uint64_t instructions);

}  // namespace sassim::emu
