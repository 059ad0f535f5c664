// SPDX-License-Identifier: Apache-2.0
// What a trace says about an instruction in place of lane addresses: barriers, numbers of masks or values, times.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "arch/sm/fetch/instruction_buffer.h"
#include "sim/base/types.h"

namespace sassim::arch {

/// The value of the first lane of the warp's next instruction; `otherwise` if the trace has none.
inline std::uint64_t value_in_trace(const InstructionBuffer& buffer, std::uint64_t otherwise) {
  const InstructionBuffer::Entry& entry = buffer.front();
  if (!entry.has_addresses || entry.lanes.none()) return otherwise;
  return buffer.front_addresses()[std::countr_zero(entry.lanes.bits)];
}

/// The different masks of a WARPSYNC, the different values of a MATCH, or the time of a NANOSLEEP.
inline std::uint32_t count_in_trace(const InstructionBuffer& buffer, std::uint32_t otherwise = 1) {
  return static_cast<std::uint32_t>(value_in_trace(buffer, otherwise));
}

/// The barriers in shared memory that an instruction's lanes name, and how many lanes name each.
struct NamedBarriers {
  struct One {
    std::uint64_t value = 0;
    std::uint32_t lanes = 0;
    std::uint32_t address() const { return static_cast<std::uint32_t>(value); }
    /// What the trace says beside the address: see docs/trace-format.md.
    std::uint32_t operand() const { return static_cast<std::uint32_t>(value >> 32); }
  };
  std::array<One, kWarpSize> all;
  std::uint32_t count = 0;

  explicit NamedBarriers(const InstructionBuffer& buffer) {
    const InstructionBuffer::Entry& entry = buffer.front();
    if (!entry.has_addresses) return;
    for (std::uint32_t left = entry.lanes.bits; left != 0; left &= left - 1) {
      const std::uint64_t value = buffer.front_addresses()[std::countr_zero(left)];
      const auto end = all.begin() + count;
      const auto found = std::find_if(all.begin(), end, [&](const One& one) { return one.value == value; });
      if (found == end) all[count++] = {value, 0};
      ++found->lanes;
    }
  }
  const One* begin() const { return all.data(); }
  const One* end() const { return all.data() + count; }
};

}  // namespace sassim::arch
