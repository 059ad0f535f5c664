// SPDX-License-Identifier: Apache-2.0
// What each opcode does in the emulator: one row per mnemonic, one file of sim/emu/exec per family. A row names the
// function that decodes the instruction to a micro-operation, with a Decoder. docs/opcodes.md is made from these rows.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/emu/core/micro_op.h"
#include "sim/isa/architecture.h"
#include "sim/isa/instruction.h"

namespace sassim::emu {

/// Thrown by a decoder; becomes NotSupported with kernel, PC and line when the instruction executes.
struct Unsupported {
  std::string why;
};

/// Reads an instruction's operands in printed order, and its modifiers. What remains unread is an error.
class Decoder {
 public:
  Decoder(const isa::Instruction& instruction, int sm, MicroOp& op);

  isa::CodeLayout layout() const { return isa::architecture(sm_).code; }
  const isa::Architecture& architecture() const { return isa::architecture(sm_); }
  isa::InstructionSet set() const { return architecture().set; }
  const isa::Instruction& instruction() const { return instruction_; }
  MicroOp& op;

  /// True if the modifier is present.
  bool take(std::string_view modifier);
  /// The index of the modifier that is present, or `otherwise`.
  int take_one_of(std::initializer_list<std::string_view> modifiers, int otherwise);
  /// Accepts modifiers that do not change the result.
  void ignore(std::initializer_list<std::string_view> modifiers);

  std::size_t left() const { return instruction_.operands.size() - next_; }
  bool next_is(isa::OperandKind kind) const;
  const isa::Operand& next();

  std::uint8_t destination();  ///< a register, or a uniform register in uniform instructions
  std::uint8_t predicate_destination();
  std::uint8_t optional_predicate_destination();  ///< kPT when the next operand is not a predicate
  Source source();                                ///< 32-bit integer or raw bits
  Source source_f32();
  Source source_f64();
  PredicateSource predicate();
  PredicateSource optional_predicate(bool otherwise);
  AddressSource address();
  std::uint32_t immediate();
  std::uint32_t branch_target();
  /// Throws Unsupported unless all modifiers and operands have been read.
  void finish() const;

 private:
  Source constant(const isa::Operand& operand) const;
  const isa::Instruction& instruction_;
  int sm_;
  std::size_t next_ = 0;
  std::uint32_t taken_ = 0;
};

using Decode = void (*)(Decoder&);

enum class Exactness : std::uint8_t { exact, approximate };

struct Semantics {
  std::string_view mnemonic;
  Decode decode;
  Exactness exactness = Exactness::exact;
  std::string_view note = {};  ///< for docs/opcodes.md: the error bound of an approximation, forms that are missing
  int first_sm = 70;           ///< the first architecture for which the toolkit emits it
  isa::InstructionSet set = isa::InstructionSet::sass128;
};

/// F2FP from and to eight-bit floating-point numbers.
void decode_f2fp_bytes(Decoder&);
/// ATOMS.ARRIVE, whose mnemonic is that of the other atomics on shared memory.
void decode_atoms_arrive(Decoder&);

/// Makes the micro-op of an instruction with the suffix .S: behind it, its threads do what SYNC does.
void sync_behind(MicroOp&);

/// All rows, by family. A mnemonic has at most one row for each instruction set.
std::vector<std::span<const Semantics>> all_semantics();
/// The row of an instruction set; if a 64-bit one has none, it has the meaning of the 128-bit one.
const Semantics* find_semantics(std::string_view mnemonic, isa::InstructionSet = isa::InstructionSet::sass128);

std::span<const Semantics> integer_semantics();
std::span<const Semantics> extreme_semantics();
std::span<const Semantics> shift_semantics();
std::span<const Semantics> predicate_semantics();
std::span<const Semantics> fp32_semantics();
std::span<const Semantics> fp64_semantics();
std::span<const Semantics> fp16_semantics();
std::span<const Semantics> convert_semantics();
std::span<const Semantics> mufu_semantics();
std::span<const Semantics> memory_semantics();
std::span<const Semantics> matrix_memory_semantics();
std::span<const Semantics> texture_semantics();
std::span<const Semantics> atomic_semantics();
std::span<const Semantics> shared_barrier_semantics();
std::span<const Semantics> bulk_copy_semantics();
std::span<const Semantics> warp_semantics();
std::span<const Semantics> special_semantics();
std::span<const Semantics> control_semantics();
std::span<const Semantics> uniform_semantics();
std::span<const Semantics> tensor_semantics();
std::span<const Semantics> warp_group_semantics();
std::span<const Semantics> tensor_copy_semantics();
std::span<const Semantics> bulk_store_semantics();
std::span<const Semantics> sass64_integer_semantics();
std::span<const Semantics> sass64_multiply_semantics();
std::span<const Semantics> sass64_bits_semantics();
std::span<const Semantics> sass64_logic_semantics();
std::span<const Semantics> sass64_control_semantics();
std::span<const Semantics> sass64_other_semantics();
std::span<const Semantics> sass64_surface_semantics();

/// The text of docs/opcodes.md.
std::string opcode_table_markdown();

}  // namespace sassim::emu
