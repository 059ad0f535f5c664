// SPDX-License-Identifier: Apache-2.0
// The control bits, which the compiler sets for every instruction: bits 105 to 125 of its 128 bits. Instructions of 64
// bits have the same 21 bits in a control word in front of three of them; here they are where 128 bits have them.
#pragma once

#include <cstdint>

namespace sassim::isa {

inline constexpr std::uint8_t kNoCounter = 7;
inline constexpr int kDependenceCounters = 6;

struct ControlBits {
  std::uint8_t stall = 1;                   ///< cycles until this warp's next instruction may issue, 0..15
  bool yield = false;                       ///< true: the warp may not issue in the next cycle (raw bit 109 is 0)
  std::uint8_t write_counter = kNoCounter;  ///< counter released when the result is written (RAW, WAW)
  std::uint8_t read_counter = kNoCounter;   ///< counter released when the sources have been read (WAR)
  std::uint8_t wait_mask = 0;               ///< counters that must be zero before this instruction issues
  std::uint8_t reuse = 0;                   ///< operand slots a, b, c (bits 0, 1, 2) kept in the reuse cache

  friend bool operator==(const ControlBits&, const ControlBits&) = default;
};

/// `high` is the second 64-bit word of the instruction.
ControlBits decode_control(std::uint64_t high);
/// The second 64-bit word that holds the control bits of the `index`th instruction behind a control word.
std::uint64_t spread_control(std::uint64_t control_word, std::uint64_t index);
/// Returns `high` with its control bits replaced by `control`.
std::uint64_t encode_control(std::uint64_t high, const ControlBits& control);

}  // namespace sassim::isa
