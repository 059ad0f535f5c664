// SPDX-License-Identifier: Apache-2.0
// The reuse cache of a processing block: the operands that it keeps beside its register file, one per register bank and
// operand slot (Huerta et al., MICRO 2025).
#pragma once

#include <array>
#include <cstdint>

#include "arch/sm/code/static_code.h"

namespace sassim::arch {

class ReuseCache {
 public:
  explicit ReuseCache(bool lost_on_switch) : lost_on_switch_(lost_on_switch) {}

  /// Handles the reads of one instruction in order, and returns those that need the register file. A read drops the
  /// operand kept for its bank and slot, unless it has the reuse flag and `flags_count` is true. A register that occurs
  /// in two slots of one instruction is read once. Otherwise FFMA R15, R8, R15, R8 of the first probe in
  /// validation/measured/h200/instructions.md#pipes would occupy its read port for two cycles.
  BankReads read(std::uint32_t warp, const StaticInstruction& instruction, bool flags_count) {
    if (lost_on_switch_ && warp != warp_) clear();
    warp_ = warp;
    const bool keeps = instruction.registers.keeps && flags_count;
    const std::uint16_t places = instruction.registers.places;
    if ((maybe_kept_ & places) == 0 && !keeps) return instruction.registers.distinct;
    maybe_kept_ = static_cast<std::uint16_t>(keeps ? maybe_kept_ | places : maybe_kept_ & ~places);
    BankReads missed;
    for (std::uint32_t i = 0; i < instruction.registers.count; ++i) {
      const RegisterRead& read = instruction.registers.reads[i];
      Operand& kept = kept_[read.place];
      const Operand wanted = kValid | warp << 8 | read.reg;
      missed.add(read.bank(), kept != wanted && !read.again);
      kept = read.reuse && keeps ? wanted : 0;
    }
    return missed;
  }
  void clear() {
    if (maybe_kept_ == 0) return;
    maybe_kept_ = 0;
    kept_.fill(0);
  }

  template <class Archive>
  void state(Archive& archive) {
    archive(warp_, maybe_kept_, kept_);
  }

 private:
  using Operand = std::uint32_t;  ///< a register of a warp; 0: none
  static constexpr Operand kValid = 1u << 31;

  bool lost_on_switch_;
  std::uint32_t warp_ = ~0u;
  std::uint16_t maybe_kept_ = 0;  ///< one bit per place; 0: there is no operand
  std::array<Operand, kReuseBanks * kReuseSlots> kept_{};
};

}  // namespace sassim::arch
