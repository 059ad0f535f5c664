// SPDX-License-Identifier: Apache-2.0
// The operands that a processing block keeps beside its register file: one per register bank and operand slot (MICRO
// 2025).
#pragma once

#include <array>
#include <cstdint>

#include "arch/sm/code/static_code.h"

namespace sassim::arch {

class ReuseCache {
 public:
  static constexpr std::uint32_t kBanks = 4, kSlots = 4;

  explicit ReuseCache(bool lost_on_switch) : lost_on_switch_(lost_on_switch) {}

  /// Handles the reads of one instruction in order, and calls `miss(bank)` for each read that needs the register file.
  /// A read drops the operand kept for its bank and slot, unless it has the reuse flag and `flags_count` is true.
  template <class Miss>
  void read(std::uint32_t warp, const StaticInstruction& instruction, bool flags_count, Miss miss) {
    if (lost_on_switch_ && warp != warp_) held_.fill(0);
    warp_ = warp;
    for (std::uint32_t i = 0; i < instruction.registers.count; ++i) {
      const RegisterRead& r = instruction.registers.reads[i];
      Operand& held = held_[r.bank * kSlots + (r.slot & 3)];
      const Operand wanted = kHeld | warp << 8 | r.reg;
      const bool missed = held != wanted;
      held = r.reuse && flags_count ? wanted : 0;
      // A register that occurs in two slots of one instruction is read once. Otherwise FFMA R15, R8, R15, R8 of the
      // first probe in validation/measured/h200/register-file.md would occupy its read port for two cycles.
      if (missed && !r.again) miss(r.bank);
    }
  }
  void clear() { held_.fill(0); }

  template <class Archive>
  void state(Archive& archive) {
    archive(warp_, held_);
  }

 private:
  using Operand = std::uint32_t;  ///< warp and register of an operand that is kept; 0: none
  static constexpr Operand kHeld = 1u << 31;

  bool lost_on_switch_;
  std::uint32_t warp_ = ~0u;
  std::array<Operand, kBanks * kSlots> held_{};
};

}  // namespace sassim::arch
