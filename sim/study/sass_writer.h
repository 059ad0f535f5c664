// SPDX-License-Identifier: Apache-2.0
// Writes SASS with the control bits that a compiler would give it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/isa/control.h"
#include "sim/isa/opcode.h"

namespace sassim::study {

/// Keeps each fixed-latency result at its latency's distance from its first reader by stall counts. Variable-latency
/// results are the caller's: it names the counters to release and to wait for.
class SassWriter {
 public:
  /// `latency` is that of fixed-latency instructions.
  SassWriter(int sm, std::function<std::uint32_t(const isa::Decoded&)> latency);

  /// "FADD R2, R2, R4", without control bits and semicolon.
  void emit(std::string_view text, std::uint8_t wait_mask = 0, std::uint8_t write_counter = isa::kNoCounter);
  /// The start of a loop: every fixed-latency result before it is ready here.
  void label(std::string_view name);
  /// A branch back to `name`, taken while `guard` ("@P0") holds; results are ready at the target too.
  void loop(std::string_view guard, std::string_view name);

  /// Instructions so far.
  std::uint32_t size() const { return instructions_; }
  std::vector<isa::Instruction> finish() const;

 private:
  struct Line {
    std::string label;  ///< a line of its own
    isa::ControlBits control;
    std::string text;
  };
  using Times = std::array<std::uint64_t, 512>;

  void place(std::string text, const isa::Decoded& decoded, isa::ControlBits control);
  void wait_until(std::uint64_t cycle);
  std::uint64_t ready(const isa::Decoded& decoded) const;
  void settle();

  int sm_;
  std::function<std::uint32_t(const isa::Decoded&)> latency_;
  std::vector<Line> lines_;
  std::uint32_t instructions_ = 0;
  std::uint64_t now_ = 0;      ///< when the next instruction may issue
  std::uint64_t settled_ = 0;  ///< when all results are ready
  Times registers_{}, uniforms_{};
  std::array<std::uint64_t, 8> predicates_{}, uniform_predicates_{};
};

}  // namespace sassim::study
