// SPDX-License-Identifier: Apache-2.0
// The sources of operands of a processing block: its register file and its constant cache.
#pragma once

#include <bit>
#include <cstdint>

#include "arch/common/indices.h"
#include "arch/sm/fetch/constant_cache.h"
#include "arch/sm/issue/register_file.h"
#include "arch/sm/warps/block_state.h"
#include "sim/config/forward.h"
#include "sim/stats/counter_values.h"

namespace sassim::arch {

struct Operands {
  Operands(const config::RegisterFile& file, const config::ConstantCaches& caches, InstructionCache& l15,
           std::uint8_t block)
      : registers(file), constants(caches, l15, block), perfect_(caches.perfect) {}

  void start_kernel(std::uint64_t constant_address, bool keep_constants) {
    constants.start_kernel(constant_address, keep_constants);
    registers.clear_counters();
  }
  /// True if the constant that the warp's next instruction reads is cached. If it is not, requests it.
  bool constant_here(const BlockState& state, WarpIndex warp, const StaticInstruction& instruction, Cycle now) {
    if (!instruction.constant.checked && !instruction.constant.indexed) return true;
    if (perfect_) [[unlikely]]
      return true;
    const InstructionBuffer::Entry& entry = state.buffers[warp].front();
    const std::uint32_t pc = state.code->pc(entry.index);
    if (state.code->launches() > 1) constants.select(state.code->kernel(state.warps[warp].own.launch).constant_address);
    if (instruction.constant.checked && !constants.access(instruction.constant.address, warp, now, pc)) return false;
    if (!instruction.constant.indexed || !entry.has_addresses || entry.lanes.none()) return true;
    const std::uint64_t at = state.buffers[warp].front_address(std::countr_zero(entry.lanes.bits));
    return constants.access_indexed(ConstantAddress::in_trace(at), warp, now, pc);
  }

  void report(stats::CounterValues& values) const;

  RegisterFile registers;
  ConstantCache constants;

  template <class Archive>
  void state(Archive& archive) {
    archive(registers, constants);
  }

 private:
  bool perfect_;  ///< sm.constant.perfect
};

}  // namespace sassim::arch
