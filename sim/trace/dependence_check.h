// SPDX-License-Identifier: Apache-2.0
// The check of dependences in `sassim trace lint`: follows the path that a warp executed, and reports instructions that
// the compiler's stall counts let issue before a result that they use is ready.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "sim/isa/opcode.h"
#include "sim/trace/step.h"

namespace sassim::trace {

class DependenceCheck {
 public:
  struct TooClose {
    std::uint32_t producer = 0, consumer = 0;  ///< indices into the code
    std::uint32_t cycles = 0, latency = 0;     ///< cycles between both; cycles needed
    std::string resource;                      ///< "R4", "P0", ...
  };
  using Report = std::function<void(const TooClose&)>;

  /// All arguments are kept by reference. `latencies`: per code index; 0 for variable-latency instructions.
  DependenceCheck(const std::vector<isa::Instruction>& code, const std::vector<isa::Decoded>& decoded,
                  const std::vector<std::uint32_t>& latencies, isa::InstructionSet, Report report);

  void start_warp();
  void step(const Step& step);

 private:
  struct Write {
    std::uint64_t time = 0;
    std::uint32_t index = 0;
    std::uint32_t latency = 0;  ///< 0: nothing waits for it
    bool lower_word = false;    ///< it is the lower word of a wide product
    LaneMask lanes;
  };
  /// The least cycles from the write to the consumer. `upper_addend`: the consumer reads it as upper word of a wide
  /// addend.
  std::uint32_t needed(const Write& write, const isa::Decoded& consumer, bool upper_addend) const;
  void read(const Write& write, const Step& step, const char* kind, int register_index, bool upper_addend = false);
  void read_all(const Step& step, const isa::Decoded& decoded);
  void write_all(const Step& step, const isa::Decoded& decoded);

  const std::vector<isa::Instruction>& code_;
  const std::vector<isa::Decoded>& decoded_;
  const std::vector<std::uint32_t>& latencies_;
  const isa::InstructionSet set_;
  Report report_;
  std::uint64_t now_ = 0;
  std::array<Write, 256> registers_;
  std::array<Write, 64> uniforms_;
  std::array<Write, 8> predicates_, uniform_predicates_;
};

}  // namespace sassim::trace
