// SPDX-License-Identifier: Apache-2.0
// Writes the SASS of generated kernels with the control bits that a compiler would set.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/isa/control.h"
#include "sim/isa/opcode.h"

namespace sassim::sweep {

/// Sets stall counts so that a fixed-latency result is ready for its first reader. For variable-latency results the
/// caller names the counters to release and to wait for. A stall count that is too short is followed by NOPs, unless
/// the hardware checks registers itself.
class SassWriter {
 public:
  /// `latency` returns the latency of a fixed-latency instruction.
  SassWriter(int sm, std::function<std::uint32_t(const isa::Decoded&)> latency);

  /// Adds an instruction such as "FADD R2, R2, R4", without control bits and semicolon.
  void emit(std::string_view text, std::uint8_t wait_mask = 0, std::uint8_t write_counter = isa::kNoCounter);
  /// Adds the start of a loop; all earlier fixed-latency results are ready there.
  void label(std::string_view name);
  /// Adds a branch back to `name`, taken while `guard` ("@P0") is true; all results are ready at its target.
  void loop(std::string_view guard, std::string_view name);

  /// The number of instructions so far.
  std::uint32_t size() const { return instructions_; }
  std::vector<isa::Instruction> finish() const;

 private:
  struct Line {
    std::string label;  ///< printed as a line of its own
    isa::ControlBits control;
    std::string text;
  };
  using Times = std::array<std::uint64_t, 512>;

  void place(std::string text, const isa::Decoded& decoded, isa::ControlBits control);
  void wait_until(std::uint64_t cycle);
  std::uint64_t ready(const isa::Decoded& decoded) const;
  void settle();

  int sm_;
  bool checks_registers_;  ///< the hardware waits where stall counts are too short
  std::function<std::uint32_t(const isa::Decoded&)> latency_;
  std::vector<Line> lines_;
  std::uint32_t instructions_ = 0;
  std::uint64_t now_ = 0;      ///< when the next instruction can issue
  std::uint64_t settled_ = 0;  ///< when all results are ready
  Times registers_{}, uniforms_{};
  std::array<std::uint64_t, 8> predicates_{}, uniform_predicates_{};
};

}  // namespace sassim::sweep
