// SPDX-License-Identifier: Apache-2.0
// The code of a kernel as the processing blocks read it: one row per PC, computed once from the decoded instruction and
// the configuration. Where several launches run side by side, the rows of a launch follow those of the launch before
// it, and lines count through all of them.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "arch/common/indices.h"
#include "arch/sm/code/constant_address.h"
#include "arch/sm/code/shared_barrier_op.h"
#include "arch/sm/common/resource.h"
#include "arch/sm/common/stall_reason.h"
#include "sim/base/types.h"
#include "sim/config/forward.h"
#include "sim/isa/opcode.h"
#include "sim/trace/kernel.h"

namespace sassim::arch {

/// What an instruction does when it issues, apart from occupying a resource.
enum class Action : std::uint8_t {
  none,
  memory,
  barrier,
  membar,
  depbar,
  sleep,
  warp_sync,
  join,
  invalidate,
  close_group,         ///< LDGDEPBAR
  wait_groups,         ///< DEPBAR.LE on a counter that LDGDEPBAR holds
  arrive_with_copies,  ///< ARRIVES.LDGSTSBAR
  shared_barrier,      ///< SYNCS
  bulk_copy            ///< UBLKCP
};

enum class Scope : std::uint8_t { cta, gpu, sys };

/// A place of the reuse cache: one for each register bank and operand slot.
inline constexpr std::uint32_t kReuseBanks = 4, kReuseSlots = 4;

struct RegisterRead {
  std::uint8_t reg = 0;
  std::uint8_t place = 0;  ///< in the reuse cache: bank * kReuseSlots + slot
  bool reuse : 1 = false;  ///< the operand is kept
  bool again : 1 = false;  ///< an earlier read of the same instruction reads the register, too
  std::uint8_t bank() const { return place / kReuseSlots; }
  std::uint8_t slot() const { return place % kReuseSlots; }
};

/// Numbers of reads, by register bank.
struct BankReads {
  std::uint32_t packed = 0;  ///< 8 bits per bank
  void add(std::uint32_t bank, bool is = true) { packed += std::uint32_t{is} << 8 * bank; }
  std::uint32_t sum() const { return packed * 0x01010101u >> 24; }
  /// Calls `visit(bank, number)` for the banks with reads.
  template <class Visit>
  void each(Visit visit) const {
    std::uint32_t bank = 0;
    for (std::uint32_t left = packed; left != 0; left >>= 8, ++bank)
      if ((left & 0xff) != 0) visit(bank, left & 0xff);
  }
};

/// Among which loads of its warp a load returns in order of issue, in code that relies on it: those that stay in the
/// SM (shared), or those that go beyond it.
enum class Order : std::uint8_t { none, shared, beyond };
inline constexpr std::size_t kOrders = 3;

/// A row: what the stages of a processing block must know about an instruction.
struct StaticInstruction {
  struct {
    std::uint8_t stall = 1;  ///< cycles to the next issue of this warp
    std::uint8_t write_counter = isa::kNoCounter, read_counter = isa::kNoCounter, wait_mask = 0;
  } control;  ///< control bits, with quirks applied

  Resource resource = Resource::none;
  Action action = Action::none;
  bool fixed = true;             ///< the result is ready after `latency`, and operands are read through Allocate
  bool long_latency = false;     ///< waiting for its counters counts as long_scoreboard
  bool result_later = false;     ///< a unit decides later when the result is ready
  std::uint8_t second_pass = 0;  ///< cycles after its issue in which the instruction holds dispatch
  struct {
    std::uint32_t fetch_after = 0;  ///< cycles until the next instruction is fetched, wherever it is; 0: none
    bool branches = false;
    bool indirect = false;  ///< jumps to an address in a register
    bool leaves = false;    ///< mostly jumps: fetch of a live warp waits until it has issued
  } flow;
  std::uint16_t latency = 1, interval = 1;
  struct {
    ConstantAddress address;
    bool present : 1 = false;
    bool checked : 1 = false;  ///< looked up at issue: fixed latency and a fixed address
    bool indexed : 1 = false;  ///< looked up at issue: fixed latency and an address that the trace holds
  } constant;                  ///< an operand
  struct Registers {
    std::uint8_t count = 0;
    std::uint8_t write_banks = 0;  ///< one bit per register bank that the result is written to
    bool aside = false;            ///< its reads delay no others: shared-memory loads, tensor instructions
    bool keeps = false;            ///< some read has the reuse flag
    std::uint16_t places = 0;      ///< one bit per place of the reuse cache that a read uses
    BankReads distinct;            ///< reads without those of a register again
    std::array<RegisterRead, 16> reads{};

    /// Without effect if there is no room for another read.
    void add(std::uint8_t reg, std::uint8_t bank, std::uint8_t slot, bool reuse);
    /// Without reuse flags.
    void keep_none();
  } registers;
  struct {
    bool has_address : 1 = true;  ///< it occupies the address stage
    bool waits : 1 = false;       ///< outstanding until it is acknowledged (stores, reductions)
    bool uniform_address : 1 = false;
    bool copies : 1 = false;  ///< LDGSTS: belongs to its warp's open group
    Order order : 2 = Order::none;
  } memory;  ///< of a memory instruction
  struct {
    bool never : 1 = false;  ///< guarded by !PT: no thread executes it
    bool reads_clock : 1 = false;
    bool yields : 1 = false;
    bool gives_way : 1 = false;  ///< YIELD
    bool plain : 1 = false;      ///< concerns nothing but its operands, its pipe and the path of its warp
    bool pairs : 1 = false;      ///< the instruction behind it may issue in the same cycle
  } issue;
  struct {
    bool each : 1 = false;  ///< MATCH.ANY: works once for each different value of its lanes
    bool wide : 1 = false;  ///< these values have 64 bits
  } values;
  struct {
    SharedBarrierOp op = SharedBarrierOp::arrive;
    bool tries = false;  ///< SYNCS.PHASECHK.TRYWAIT
  } shared_barrier;      ///< SYNCS, ARRIVES
  struct {
    std::uint8_t counter = 0, limit = 0, mask = 0;
    bool late = false;  ///< reads the counter when the increments of instructions just before it are visible
  } depbar;             ///< DEPBAR.LE
  struct {
    std::uint8_t number = 0;
    bool waits : 1 = true;      ///< false: BAR.ARV
    bool in_trace : 1 = false;  ///< number and threads come from a register, so the trace holds them
    std::uint16_t threads = 0;  ///< 0: the whole thread block
  } barrier;                    ///< BAR
  Scope scope = Scope::cta;     ///< MEMBAR
  struct {
    std::uint64_t clock_hz = 0;     ///< clock of the SM
    std::uint32_t nanoseconds = 0;  ///< if no register holds them
  } sleep;                          ///< NANOSLEEP
};

static_assert(sizeof(StaticInstruction) <= 128, "two cache lines");

/// Registers and predicates that an instruction uses, for the scoreboard: register r, predicate 256 + p, uniform
/// register 264 + u, uniform predicate 328 + p.
struct ScoreboardUse {
  static constexpr std::uint16_t kPredicates = 256, kNames = 336;
  std::vector<std::uint16_t> reads, writes;

  /// Where results come from of which some readers must wait longer than the latency (sm.pipes.forwarding).
  enum class Source : std::uint8_t { other, alu, fma, count_ };
  Source source = Source::other;
  /// Cycles by which the instruction may use a result later than its latency says, by the result's source.
  using Later = std::array<std::uint8_t, static_cast<std::size_t>(Source::count_)>;
  Later later{}, guard_later{};
  std::uint8_t guards = 0;  ///< one bit per predicate that `guard_later` applies to

  std::uint8_t waits_for(std::uint16_t name, Source from) const {
    const bool guard = name >= kPredicates && name < kPredicates + 8 && (guards >> (name - kPredicates) & 1) != 0;
    return (guard ? guard_later : later)[static_cast<std::size_t>(from)];
  }
};

class StaticCode {
 public:
  /// Throws NotSupported for an opcode that the table lacks, InputError for operands that the timing model cannot
  /// handle.
  StaticCode(const trace::KernelInfo& kernel, const config::GpuConfig& config);

  /// Adds a launch that runs beside the others; lines that are known keep their places. Throws NotSupported where one
  /// launch needs a scoreboard and another has control bits.
  void append(const trace::KernelInfo& kernel, const config::GpuConfig& config);
  std::uint32_t launches() const { return static_cast<std::uint32_t>(launches_.size()); }
  /// The first line of a launch, and the launch that has a line.
  CodeLine first_line(LaunchIndex launch) const { return launches_[launch].first; }
  LaunchIndex launch_of(CodeLine line) const {
    std::uint32_t launch = launches() - 1;
    while (launches_[launch].first > line) --launch;
    return LaunchIndex(launch);
  }

  /// The line's PC as if all launches were one function, so that it stands for the line.
  std::uint32_t pc(CodeLine line) const { return static_cast<std::uint32_t>(layout_.pc(line)); }
  isa::CodeLayout layout() const { return layout_; }
  CodeLine line_at(std::uint32_t pc) const { return CodeLine(layout_.index(pc)); }

  const trace::KernelInfo& kernel(LaunchIndex launch = {}) const { return *launches_[launch].kernel; }
  std::size_t size() const { return rows_.size(); }
  const StaticInstruction& operator[](CodeLine pc_index) const { return rows_[pc_index]; }
  const isa::Decoded& decoded(CodeLine pc_index) const { return decoded_[pc_index]; }
  const ScoreboardUse& scoreboard_use(CodeLine pc_index) const { return uses_[pc_index]; }
  /// Bytes of the launch's constant bank (dimensions and parameters) that the code can read; the whole bank if the code
  /// takes addresses from registers.
  std::uint64_t launch_bank_bytes(LaunchIndex launch = {}) const { return launches_[launch].bank_bytes; }
  /// With sm.issue.full_warps, by instruction: whether executions by a part of a warp may be left out; else empty.
  const std::vector<bool>& leave_out() const { return leave_out_; }
  /// True if dependences follow from register names, not from control bits.
  bool scoreboard() const { return scoreboard_; }

 private:
  struct Launch {
    const trace::KernelInfo* kernel;
    CodeLine first;
    std::uint64_t bank_bytes = 0;  ///< launch_bank_bytes()
  };

  isa::CodeLayout layout_;  ///< of the first launch
  bool scoreboard_;
  std::vector<Launch> launches_;
  std::vector<StaticInstruction> rows_;
  std::deque<isa::Decoded> decoded_;  ///< append() moves none: instructions in flight refer to them
  std::vector<ScoreboardUse> uses_;   ///< empty with control bits
  std::vector<bool> leave_out_;
};

}  // namespace sassim::arch
