// SPDX-License-Identifier: Apache-2.0
// A kernel's code as the processing blocks read it: one hot row per PC, worked out once from the decoded instruction
// and the configuration.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "arch/sm/fetch/constant_address.h"
#include "arch/sm/issue/stall_reason.h"
#include "arch/sm/sync/shared_barriers.h"
#include "sim/base/types.h"
#include "sim/config/gpu_config.h"
#include "sim/isa/opcode.h"
#include "sim/trace/kernel.h"

namespace sassim::arch {

/// What an instruction needs to be free when it issues. The last four share the memory queue.
enum class Resource : std::uint8_t {
  fma,
  alu,
  fp16,
  fp64,
  xu,
  tensor,
  uniform,
  branch,
  mio,
  adu,
  none,
  local_global,
  shared,
  texture,
  count_
};
inline constexpr std::size_t kResources = static_cast<std::size_t>(Resource::count_);
constexpr bool uses_memory_queue(Resource r) { return r >= Resource::local_global; }

/// What issuing does beyond occupying a resource.
enum class Action : std::uint8_t {
  none,
  memory,
  barrier,
  membar,
  depbar,
  sleep,
  warp_sync,
  join,
  forget,
  close_group,         ///< LDGDEPBAR
  wait_groups,         ///< DEPBAR.LE of a counter that LDGDEPBAR holds
  arrive_with_copies,  ///< ARRIVES.LDGSTSBAR
  shared_barrier       ///< SYNCS
};

enum class Scope : std::uint8_t { cta, gpu, sys };

struct RegisterRead {
  std::uint8_t reg = 0, bank = 0, slot = 0;
  bool reuse = false;
};

struct StaticInstruction {
  // control bits, quirks applied
  std::uint8_t stall = 1;  ///< cycles to this warp's next issue
  std::uint8_t write_counter = isa::kNoCounter, read_counter = isa::kNoCounter, wait_mask = 0;

  Resource resource = Resource::none;
  Action action = Action::none;
  bool fixed = true;  ///< result after `latency`, reads through Allocate
  bool branches = false;
  bool indirect : 1 = false;  ///< goes to an address in a register
  bool leaves : 1 =
      false;  ///< mostly goes elsewhere: where the path is not known ahead, fetch waits until it has issued
  bool reads_clock = false;
  bool yields = false;
  bool long_latency = false;      ///< its counters are waited for as long_scoreboard
  bool waits_for_memory = false;  ///< outstanding until acknowledged (stores, reductions)
  bool uniform_address = false;
  bool reads_aside = false;  ///< its register reads delay no others: loads from shared memory, matrices
  bool by_values = false;    ///< MATCH.ANY: as often as its lanes have different values
  bool wide_values = false;  ///< and these are of 64 bits
  bool has_constant = false;
  bool checks_constant = false;   ///< looked up at issue: fixed latency, and the address does not depend on a register
  bool indexes_constant = false;  ///< the same, but the address is the trace's
  std::uint8_t write_banks = 0;   ///< bit per register bank that the result goes to
  bool gives_way = false;         ///< YIELD
  bool copies = false;            ///< LDGSTS: belongs to its warp's open group
  bool result_later = false;      ///< a unit with state decides when the result is ready
  std::uint32_t fetch_after = 0;  ///< cycles until the next instruction is fetched, wherever it is; 0: no delay
  std::uint16_t latency = 1, interval = 1;
  std::uint8_t read_count = 0;
  std::array<RegisterRead, 16> reads{};
  SharedBarrierOp barrier_op = SharedBarrierOp::arrive;  ///< SYNCS, ARRIVES
  ConstantAddress constant_address;

  // DEPBAR.LE
  std::uint8_t depbar_counter = 0, depbar_limit = 0, depbar_mask = 0;
  // BAR
  std::uint8_t barrier = 0;
  bool barrier_waits = true;          ///< false: BAR.ARV
  std::uint16_t barrier_threads = 0;  ///< 0: the whole thread block
  bool barrier_in_trace = false;      ///< number and threads come from a register, so the trace says them
  // MEMBAR, NANOSLEEP
  Scope scope = Scope::cta;
  std::uint32_t sleep = 0;     ///< nanoseconds, if no register says them
  std::uint64_t clock_hz = 0;  ///< of the SM
};

static_assert(sizeof(StaticInstruction) <= 128, "two cache lines");

/// Registers and predicates that an instruction touches, for the scoreboard mode: register r, predicate 256 + p,
/// uniform register 264 + u, uniform predicate 328 + p.
struct ScoreboardUse {
  static constexpr std::uint16_t kNames = 336;
  std::vector<std::uint16_t> reads, writes;
};

class StaticCode {
 public:
  /// Throws NotSupported for an opcode that the table lacks, InputError for operands that timing cannot place.
  StaticCode(const trace::KernelInfo& kernel, const config::GpuConfig& config);

  const trace::KernelInfo& kernel() const { return *kernel_; }
  std::size_t size() const { return rows_.size(); }
  const StaticInstruction& operator[](std::uint32_t pc_index) const { return rows_[pc_index]; }
  const isa::Decoded& decoded(std::uint32_t pc_index) const { return decoded_[pc_index]; }
  const ScoreboardUse& scoreboard_use(std::uint32_t pc_index) const { return uses_[pc_index]; }
  /// Bytes of the launch's constant bank (dimensions and parameters) that the code can read; the whole bank where
  /// the code takes addresses from registers.
  std::uint64_t launch_bank_bytes() const { return launch_bank_bytes_; }
  /// With sm.issue.full_warps, by instruction: whether executions by a part of a warp may be left out; else empty.
  const std::vector<bool>& leave_out() const { return leave_out_; }
  /// Dependences come from the registers' names instead of the control bits.
  bool scoreboard() const { return scoreboard_; }

 private:
  const trace::KernelInfo* kernel_;
  bool scoreboard_;
  std::uint64_t launch_bank_bytes_ = 0;
  std::vector<StaticInstruction> rows_;
  std::vector<isa::Decoded> decoded_;
  std::vector<ScoreboardUse> uses_;  ///< empty in control-bits mode
  std::vector<bool> leave_out_;
};

}  // namespace sassim::arch
