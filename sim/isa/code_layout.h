// SPDX-License-Identifier: Apache-2.0
// Where the instructions of a function lie in its code: the n-th instruction and its PC, in both directions.
#pragma once

#include <bit>
#include <cstdint>

namespace sassim::isa {

/// Instructions of one size. Their control bits are either in the instructions, as from Volta on, or in control words:
/// one word, as long as an instruction, lies in front of each group of instructions, and it is no instruction itself.
class CodeLayout {
 public:
  /// 128-bit instructions with their control bits inside.
  constexpr CodeLayout() = default;
  /// `instruction_bytes` is a power of two. `per_control_word`: the instructions of a group; 0: no control words.
  constexpr explicit CodeLayout(std::uint32_t instruction_bytes, std::uint32_t per_control_word = 0)
      : shift_(static_cast<std::uint8_t>(std::countr_zero(instruction_bytes))),
        group_(static_cast<std::uint8_t>(per_control_word)) {}

  constexpr std::uint32_t instruction_bytes() const { return 1u << shift_; }
  /// The instructions behind a control word; 0: there are no control words.
  constexpr std::uint32_t group() const { return group_; }
  /// Code has a whole number of such units: instructions, or groups with their control word.
  constexpr std::uint32_t unit_bytes() const { return (group_ == 0 ? 1u : group_ + 1u) << shift_; }

  /// The PC of an instruction: its byte offset from the start of the function.
  constexpr std::uint64_t pc(std::uint64_t index) const {
    return (group_ == 0 ? index : index + index / group_ + 1) << shift_;
  }
  /// The instruction at a PC. That of a control word is the first of its group.
  constexpr std::uint64_t index(std::uint64_t pc) const {
    const std::uint64_t word = pc >> shift_;
    return group_ == 0 ? word : word - (word + group_) / (group_ + 1u);
  }
  /// The bytes of the first `count` instructions of a function, with the control words before them.
  constexpr std::uint64_t bytes(std::uint64_t count) const {
    return (group_ == 0 ? count : count + (count + group_ - 1) / group_) << shift_;
  }
  /// False inside of instructions and in control words.
  constexpr bool is_instruction(std::uint64_t pc) const {
    return pc % instruction_bytes() == 0 && (group_ == 0 || pc % unit_bytes() != 0);
  }

  friend constexpr bool operator==(CodeLayout, CodeLayout) = default;

 private:
  std::uint8_t shift_ = 4;  ///< a shift instead of a multiplication: each fetched instruction needs its PC
  std::uint8_t group_ = 0;
};

}  // namespace sassim::isa
