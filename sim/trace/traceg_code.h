// SPDX-License-Identifier: Apache-2.0
// The code of an Accel-Sim trace: what ran, put together from the lines that executed it.
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

  /// PCs of a called function start at zero again, so one PC may have several instructions: the second and later ones
  /// get places behind the kernel's code.
  void add(const LineReader& in, const TracegInstruction& line);
  /// Makes the instructions; `real` may be null.
  void finish(const std::string& file, const isa::Disassembly* real);

  const KernelInfo& kernel() const { return kernel_; }
  std::uint32_t index(const TracegInstruction& line) const;
  isa::Space space(std::uint32_t index) const { return spaces_[index]; }
  /// A load, store or atomic operation: it accesses memory wherever its guard is true.
  bool needs_addresses(std::uint32_t index) const { return accesses_[index]; }
  bool exits(std::uint32_t index) const { return exits_[index]; }

 private:
  struct Variant {
    std::string operands;  ///< as the trace prints them
    std::string text;
    std::uint32_t index = 0;
    std::uint64_t line = 0;  ///< of the file, where it is first executed
  };
  void place_variants();
  void read_variants(const std::string& file, bool decodable);
  void classify(const isa::Instruction& instruction);
  static std::string text_of(const TracegInstruction& line);
  void use_real_code(const std::string& file, const isa::Disassembly& real);

  KernelInfo kernel_;
  std::unordered_map<std::uint32_t, std::vector<Variant>> by_pc_;
  std::uint32_t code_size_ = 0;
  std::vector<isa::Space> spaces_;  ///< per instruction, as what follows
  std::vector<bool> accesses_, exits_;
};

}  // namespace sassim::trace
