// SPDX-License-Identifier: Apache-2.0
// Decodes and encodes stall count, yield, dependence counters and reuse flags of an instruction.
#include "sim/isa/code_rules.h"

namespace sassim::isa {
namespace {

// Positions within the second 64-bit word of an instruction: bit 105 of the instruction is bit 41 of this word.
struct Field {
  int shift;
  std::uint64_t mask;
  std::uint8_t get(std::uint64_t word) const { return static_cast<std::uint8_t>(word >> shift & mask); }
  std::uint64_t put(std::uint64_t word, std::uint64_t value) const {
    return (word & ~(mask << shift)) | (value & mask) << shift;
  }
};

constexpr Field kStall{41, 0xf};
constexpr Field kNoYield{45, 0x1};
constexpr Field kWrite{46, 0x7};
constexpr Field kRead{49, 0x7};
constexpr Field kWait{52, 0x3f};
constexpr Field kReuse{58, 0x7};

}  // namespace

ControlBits decode_control(std::uint64_t high) {
  ControlBits control;
  control.stall = kStall.get(high);
  control.yield = kNoYield.get(high) == 0;
  control.write_counter = kWrite.get(high);
  control.read_counter = kRead.get(high);
  control.wait_mask = kWait.get(high);
  control.reuse = kReuse.get(high);
  return control;
}

std::uint64_t spread_control(std::uint64_t control_word, std::uint64_t index) {
  constexpr std::uint64_t kBits = 21;
  return (control_word >> (kBits * index) & ((std::uint64_t{1} << kBits) - 1)) << kStall.shift;
}

// The layout of Kepler's control words and the meaning of their bits: envytools' description of its instruction set,
// and what Mesa's NAK compiler writes. The control words of CUDA 11.8 have the first bits 000010 and the last bits 00.
std::uint64_t spread_stall(std::uint64_t control_word, std::uint64_t index) {
  constexpr std::uint64_t kBits = 8, kFirst = 2;
  return (control_word >> (kFirst + kBits * index) & ((std::uint64_t{1} << kBits) - 1)) << kStall.shift;
}

ControlBits decode_stall(std::uint64_t high) {
  constexpr std::uint64_t kWithNext = 0x04, kInPairs = 0x80, kCounted = 0x60;
  constexpr std::uint8_t kUncounted = 16;
  const std::uint64_t bits = high >> kStall.shift & 0xff;
  ControlBits control;
  if (bits == kWithNext)
    control.stall = 0;
  else if ((bits & kInPairs) != 0)
    control.stall = static_cast<std::uint8_t>(2 * (bits & 0xf) + 1);
  else
    control.stall = (bits & kCounted) != 0 ? static_cast<std::uint8_t>((bits & 0x1f) + 1) : kUncounted;
  return control;
}

std::uint64_t encode_control(std::uint64_t high, const ControlBits& control) {
  high = kStall.put(high, control.stall);
  high = kNoYield.put(high, control.yield ? 0 : 1);
  high = kWrite.put(high, control.write_counter);
  high = kRead.put(high, control.read_counter);
  high = kWait.put(high, control.wait_mask);
  return kReuse.put(high, control.reuse);
}

}  // namespace sassim::isa
