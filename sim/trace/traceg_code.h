// SPDX-License-Identifier: Apache-2.0
// The code of an Accel-Sim trace, reconstructed from the lines that executed it.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/isa/assembly.h"
#include "sim/isa/opcode.h"
#include "sim/trace/kernel.h"
#include "sim/trace/traceg_line.h"

namespace sassim::trace {

class TracegCode {
 public:
  explicit TracegCode(const TracegHeader& header);

  /// PCs of a called function start again at zero, so that one PC may have several instructions: from the second on,
  /// they are placed behind the kernel's code.
  void add(const LineReader& in, const TracegInstruction& line);
  /// Makes the instructions. `real` (may be null) is the disassembly of the code that ran.
  void finish(const std::string& file, const isa::Disassembly* real);

  const KernelInfo& kernel() const { return kernel_; }
  std::uint32_t index(const TracegInstruction& line) const;
  isa::Space space(std::uint32_t index) const { return spaces_[index]; }
  /// Whether the instruction is a load, store or atomic operation, which accesses memory if its guard is true.
  bool needs_addresses(std::uint32_t index) const { return accesses_[index]; }
  bool exits(std::uint32_t index) const { return exits_[index]; }

 private:
  struct Variant {
    std::string operands;  ///< as printed in the trace
    std::string text;
    std::uint32_t index = 0;
    std::uint64_t line = 0;  ///< line of the file with the first execution
  };
  void place_variants();
  void read_variants(const std::string& file, bool decodable);
  void classify(const isa::Instruction& instruction);
  std::string text_of(const TracegInstruction& line) const;
  void use_real_code(const std::string& file, const isa::Disassembly& real);

  const isa::CodeLayout layout_;
  KernelInfo kernel_;
  std::unordered_map<std::uint32_t, std::vector<Variant>> by_pc_;
  std::uint32_t code_size_ = 0;
  std::vector<isa::Space> spaces_;  ///< per instruction, like the next members
  std::vector<bool> accesses_, exits_;
};

}  // namespace sassim::trace
