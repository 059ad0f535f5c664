// SPDX-License-Identifier: Apache-2.0
// Times loads, stores and atomics in shared memory by their bank conflicts, and counts them.
#include "arch/sm/units/shared/shared_memory.h"

#include <algorithm>
#include <bit>

#include "sim/base/error.h"
#include "sim/config/groups/sm.h"

namespace sassim::arch {

namespace {

/// Accesses to shared memory, and the passes that they need.
const struct SharedMemoryCounters {
  stats::Count loads{"smsp__inst_executed_op_shared_ld.sum", "inst", "warp instructions executed: shared loads"};
  stats::Count stores{"smsp__inst_executed_op_shared_st.sum", "inst", "warp instructions executed: shared stores"};
  stats::Count atomics{"smsp__inst_executed_op_shared_atom.sum", "inst", "warp instructions executed: shared atomics"};
  stats::Count matrix_loads{"smsp__inst_executed_op_ldsm.sum", "inst",
                            "warp instructions executed: matrix loads (LDSM)"};
  stats::Count load_passes{"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "wavefront",
                           "data stage: passes of shared loads"};
  stats::Count store_passes{"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "wavefront",
                            "data stage: passes of shared stores"};
  stats::Count atomic_passes{"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum", "wavefront",
                             "data stage: passes of shared atomics"};
  stats::Count load_conflicts{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", "conflict",
                              "passes that bank conflicts cost shared loads"};
  stats::Count store_conflicts{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", "conflict",
                               "passes that bank conflicts cost shared stores"};
  stats::Count atomic_conflicts{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum", "conflict",
                                "passes that bank conflicts cost shared atomics"};
  stats::Count conflicts{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", "conflict",
                         "passes that bank conflicts cost shared memory"};
} kShared;

}  // namespace

SharedMemory::SharedMemory(const config::Sm& sm)
    : config_(sm.shared),
      banks_{sm.shared.banks, sm.shared.bank_width, sm.shared.bank_conflicts},
      return_cycles_(return_cycles(sm.memory_io)),
      pass_cycles_(pass_cycles(sm.shared, sm.shared.bytes_per_cycle)),
      pass_latency_(std::max(sm.shared.pass_latency, pass_cycles_)),
      vector_result_(sm.memory_io.vector_result),
      store_data_(sm.memory_io.store_release + sm.memory_io.store_vector_release + 1) {
  const std::uint32_t before = sm.memory_io.pipeline + vector_result_;
  if (config_.latency <= before)
    throw InputError("sm.shared.latency is {}: expected more than sm.memory_io.pipeline + vector_result, {} cycles",
                     config_.latency, before);
  if (config_.bytes_per_cycle == 0) throw InputError("sm.shared.bytes_per_cycle is 0: expected at least 1 byte");
  after_accept_ = config_.latency - sm.memory_io.pipeline;
  for (std::uint32_t lanes = 1; lanes < atomic_hold_.size(); ++lanes) {
    const std::uint32_t below = static_cast<std::uint32_t>(std::bit_width(lanes)) - 1, beyond = lanes - (1u << below);
    const std::uint64_t here = config_.atomic_hold.at(below);
    const std::uint64_t rise = beyond == 0 ? 0 : config_.atomic_hold.at(below + 1) - here;
    atomic_hold_[lanes] = here + rise * beyond / (1u << below);
  }
}

BankPasses SharedMemory::passes(const UnitOp& op) const {
  if (op.decoded->matrices == 0)
    return bank_passes(banks_, op.addresses, op.lanes, op.decoded->access_bytes, !op.decoded->writes_memory);
  // Each matrix has 8 rows of 16 bytes, whose addresses come from 8 lanes.
  const std::uint32_t rows = std::min(8u * op.decoded->matrices, 32u);
  const LaneMask lanes = op.lanes & LaneMask{rows == 32 ? ~0u : (1u << rows) - 1};
  return bank_passes(banks_, op.addresses, lanes, 16);
}

/// A pass takes its time even if it moves fewer bytes than the banks deliver, and so does an access whose lanes are all
/// off (validation/measured/t4-v100.md). The data of a load return group by group, also of groups without
/// an active lane (validation/measured/h200/shared-memory.md#shared-memory).
std::uint32_t SharedMemory::cycles(const BankPasses& passes, bool load) const {
  const std::uint32_t by_bytes = (passes.words * banks_.width + config_.bytes_per_cycle - 1) / config_.bytes_per_cycle;
  return std::max({std::max(passes.passes, 1u) * pass_cycles_, by_bytes, load ? passes.groups : 0});
}

SharedMemory::Result SharedMemory::access(const UnitOp& op, Cycle now, DataStage& data) {
  const bool load = op.decoded->op == isa::OpClass::load_shared || !op.decoded->writes_memory;
  if (op.decoded->op == isa::OpClass::atomic_shared || op.decoded->op == isa::OpClass::atomic ||
      op.decoded->op == isa::OpClass::reduction)
    return atomic(op, now, data);
  const BankPasses cost = passes(op);
  const std::uint32_t busy = cycles(cost, load && op.decoded->matrices == 0);
  ++(op.decoded->matrices != 0 ? counters_.matrix_instructions
     : load                    ? counters_.load_instructions
                               : counters_.store_instructions);
  (load ? counters_.load_wavefronts : counters_.store_wavefronts) += cost.passes;
  (load ? counters_.load_conflicts : counters_.store_conflicts) += cost.passes - cost.ideal;

  // Passes of one warp are pass_latency cycles apart, those of others pass between them, and accesses of a warp follow
  // one another. The data of a store arrive later than its address.
  const std::uint64_t held =
      busy + std::uint64_t{cost.passes - cost.ideal} * (pass_latency_ - pass_cycles_) + (load ? 0 : store_data_);
  const Cycle start = data.reserve_in_order(op.warp, std::max(now, after_atomic_[op.warp.value]), busy, held);
  if (!load) return {start, start + busy, cost};
  // Every further pass adds pass_latency. The data return two registers at a time, or the data of one pass at a time.
  const std::uint32_t pairs = (op.decoded->access_bytes + 7u) / 8u;
  std::uint32_t returns = (std::max({pairs, cost.ideal, 1u}) - 1) * return_cycles_;
  std::uint32_t extra = std::max(cost.passes, 1u) - 1;
  if (op.decoded->matrices != 0) {
    returns = config_.matrix_latency * (op.decoded->matrices - 1u);
    extra = cost.passes - cost.ideal;
  }
  const std::uint32_t saved = op.uniform_address ? vector_result_ : 0;
  return {start, start + after_accept_ - saved + returns + std::uint64_t{extra} * pass_latency_, cost};
}

/// ATOMS.CAST.SPIN compares and swaps the word of one lane of each bank, and says to the others that they must try
/// again. So it takes the array twice for each 4 bytes of a lane, to compare and to swap, however many lanes use one
/// word.
SharedMemory::Result SharedMemory::spin(const UnitOp& op, Cycle now, DataStage& data) {
  const std::uint32_t passes = 2 * std::max(op.decoded->access_bytes / 4u, 1u);
  ++counters_.atomic_instructions;
  counters_.atomic_wavefronts += passes;
  const Cycle start =
      std::max(data.reserve(std::max(now, after_atomic_[op.warp.value]), passes), data.in_order(op.warp));
  const Cycle swapped = start + config_.spin_delay;
  after_atomic_[op.warp.value] = swapped + atomic_hold_[1];
  return {start, swapped + after_accept_ + config_.atomic_result, {passes, passes}};
}

/// Lanes on one bank are served one after another. The next access of the same warp waits for all of them (T4 report
/// table 7, V100 report table 4.2: a load after the atomic). Other warps wait only for the array, which serves one lane
/// per cycle (validation/measured/h200.json.xz, atomicthr.shared.*).
SharedMemory::Result SharedMemory::atomic(const UnitOp& op, Cycle now, DataStage& data) {
  if (op.decoded->spins && !op.lanes.none()) return spin(op, now, data);
  std::array<std::uint8_t, BankShape::kMaxBanks> lanes{};
  std::uint32_t steps = 0;
  for (std::uint32_t left = op.lanes.bits; left != 0; left &= left - 1) {
    const std::uint64_t word = op.addresses[static_cast<std::size_t>(std::countr_zero(left))] / banks_.width;
    steps = std::max<std::uint32_t>(steps, ++lanes[word % banks_.banks]);
  }
  // The counters count different words of one bank, as for loads; lanes on the same word take time but are not counted.
  const BankPasses cost = passes(op);
  ++counters_.atomic_instructions;
  counters_.atomic_wavefronts += cost.passes;
  counters_.atomic_conflicts += cost.passes - cost.ideal;
  const Cycle start =
      std::max(data.reserve(std::max(now, after_atomic_[op.warp.value]), steps), data.in_order(op.warp));
  if (steps == 0) return {start, start + after_accept_, cost};
  after_atomic_[op.warp.value] = start + atomic_hold_[steps];
  return {start, start + after_accept_ + config_.atomic_result + atomic_hold_[steps] - atomic_hold_[1], cost};
}

void SharedMemory::report(stats::CounterValues& values) const {
  const Counters& s = counters_;
  values.sum(kShared.loads, s.load_instructions);
  values.sum(kShared.stores, s.store_instructions);
  values.sum(kShared.atomics, s.atomic_instructions);
  values.sum(kShared.matrix_loads, s.matrix_instructions);
  values.sum(kShared.load_passes, s.load_wavefronts);
  values.sum(kShared.store_passes, s.store_wavefronts);
  values.sum(kShared.atomic_passes, s.atomic_wavefronts);
  values.sum(kShared.load_conflicts, s.load_conflicts);
  values.sum(kShared.store_conflicts, s.store_conflicts);
  values.sum(kShared.atomic_conflicts, s.atomic_conflicts);
  values.sum(kShared.conflicts, s.load_conflicts + s.store_conflicts + s.atomic_conflicts);
}

}  // namespace sassim::arch
