// SPDX-License-Identifier: Apache-2.0
// From a parsed instruction to what the timing model must know of it (Decoded): its class and the registers,
// predicates and constants that it reads and writes. The table of opcodes says what each operand is for (its role).
#include <algorithm>
#include <bit>
#include <utility>

#include "sim/base/error.h"
#include "sim/isa/architecture.h"
#include "sim/isa/code_rules.h"
#include "sim/isa/opcode.h"
#include "sim/isa/tensor.h"

namespace sassim::isa {
namespace {

struct Role {
  char letter = 'Y';
  char size = '1';
  bool optional = false;
};

std::vector<Role> split_roles(std::string_view text) {
  std::vector<Role> roles;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == ' ') continue;
    Role role;
    role.optional = std::islower(static_cast<unsigned char>(text[at])) != 0;
    role.letter = static_cast<char>(std::toupper(static_cast<unsigned char>(text[at])));
    if (at + 2 < text.size() && text[at + 1] == ':') {
      role.size = text[at + 2];
      at += 2;
    }
    roles.push_back(role);
  }
  return roles;
}

bool fits(const Role& role, const Operand& operand) {
  switch (operand.kind) {
    case OperandKind::reg:
    case OperandKind::ureg:
      return std::string_view("DABCE").find(role.letter) != std::string_view::npos;
    case OperandKind::pred:
    case OperandKind::upred:
      return role.letter == 'P' || role.letter == 'Q';
    case OperandKind::memory:
      return role.letter == 'M' || role.letter == 'H' || role.letter == 'B';
    case OperandKind::constant:
      return std::string_view("ABCKQ").find(role.letter) != std::string_view::npos;
    case OperandKind::imm:
    case OperandKind::fimm:
      return std::string_view("ABCI").find(role.letter) != std::string_view::npos;
    case OperandKind::label:
      return role.letter == 'L';
    case OperandKind::special:
      return role.letter == 'S' || role.letter == 'Y';
    default:
      return role.letter == 'Y';
  }
}

std::uint8_t access_width(const Instruction& instruction) {
  std::uint8_t bytes = 4;
  for (const std::string& modifier : instruction.modifiers) {
    if (modifier == "128") return 16;
    if (modifier == "64" || modifier == "U64" || modifier == "S64" || modifier == "F64") bytes = 8;
    if (modifier == "U16" || modifier == "S16") bytes = 2;
    if (modifier == "U8" || modifier == "S8") bytes = 1;
  }
  return bytes;
}

/// Kepler's accesses to surfaces have their address in two registers; their last type is that of the first one.
bool has_joined_address(std::string_view mnemonic) { return mnemonic == "SULDGA" || mnemonic == "SUSTGA"; }

/// SULDGA.B.CA.U16.TRAP.U8: the width comes before what becomes of places outside.
std::uint8_t joined_access_width(Instruction instruction) {
  auto& types = instruction.modifiers;
  if (const auto last = std::find(types.rbegin(), types.rend(), "U8"); last != types.rend())
    types.erase(last.base() - 1);
  return access_width(instruction);
}

std::uint8_t matrices(const Instruction& instruction) {
  return instruction.has("4") ? 4 : instruction.has("2") ? 2 : 1;
}

bool is_type(std::string_view modifier) {
  return modifier == "F16" || modifier == "F32" || modifier == "F64" || modifier == "BF16" || modifier == "TF32" ||
         modifier == "BF16_V2";
}

/// Whether the nth type among F2F's modifiers is F64: the destination's type comes first, then the source's.
bool type_is_f64(const Instruction& instruction, int nth) {
  for (const std::string& modifier : instruction.modifiers)
    if (is_type(modifier) && nth-- == 0) return modifier == "F64";
  return false;
}

class RoleDecoder {
 public:
  RoleDecoder(const Instruction& instruction, const OpcodeRow& row, const Architecture& architecture)
      : in_(instruction), row_(row), architecture_(architecture) {}

  Decoded run() {
    out_.op = row_.op;
    out_.latency = row_.latency;
    out_.space = row_.space;
    out_.flow = row_.flow;
    refine_class();
    if (out_.op == OpClass::hmma || out_.op == OpClass::imma || out_.op == OpClass::dmma || out_.op == OpClass::gmma)
      set_tensor();
    set_memory();
    walk_operands();
    if (!in_.guard.always()) read_predicate(in_.guard.index, in_.guard.uniform);
    add_descriptor();
    return std::move(out_);
  }

 private:
  bool pair_modifier() const { return in_.has("64") || in_.has("U64") || in_.has("S64"); }

  void refine_class() {
    const bool wide64 = pair_modifier() || in_.has("F64");
    if (out_.op == OpClass::imad && (in_.has("WIDE") || in_.has("HI"))) out_.op = OpClass::imad_wide;
    if (out_.op == OpClass::fp16 && in_.has("F32")) out_.op = OpClass::fp16_widen;
    if (out_.op == OpClass::fp16 && in_.has("MMA")) out_.op = OpClass::fp16_mma;
    if (out_.op == OpClass::convert && wide64) out_.op = OpClass::convert64;
    // Write counters in the corpus, checked by tests/stage/isa.
    const bool matrix = out_.op == OpClass::hmma || out_.op == OpClass::imma;
    const bool fp64 = out_.op == OpClass::fp64 || out_.op == OpClass::fp64_fma || out_.op == OpClass::fp64_cmp;
    if (architecture_.counts_fp64_and_matrices && (fp64 || matrix)) out_.latency = Latency::variable;
    if (out_.op == OpClass::dmma) out_.latency = Latency::variable;
    if (!architecture_.counts_r2ur && row_.mnemonic == "R2UR") out_.latency = Latency::fixed;
  }

  void set_tensor() {
    tensor_ = tensor_shape(in_);
    out_.tensor_m = tensor_.m;
    out_.tensor_n = tensor_.n;
    out_.tensor_k = tensor_.k;
    out_.tensor_element_bits = tensor_.element_bits;
    out_.tensor_accumulates_f32 = tensor_.accumulates_f32;
    out_.tensor_sparse = tensor_.sparse;
  }

  void set_memory() {
    if (row_.space == Space::none) return;
    const bool matrix = row_.mnemonic == "LDSM" || row_.mnemonic == "STSM";
    out_.matrices = matrix ? matrices(in_) : 0;
    const bool bulk = row_.mnemonic == "UBLKCP";
    out_.access_bytes = matrix || bulk                      ? 16
                        : has_joined_address(row_.mnemonic) ? joined_access_width(in_)
                                                            : access_width(in_);
    if (row_.space == Space::texture) {
      out_.by_lines = row_.mnemonic[0] == 'S';
      out_.narrow_texels = out_.by_lines ? out_.access_bytes <= 8 : row_.mnemonic == "TLD" && channels() <= 2;
    }
    // STRONG appears on ld.cg, ld.cv, volatile loads, and relaxed or acquire loads of GPU or system scope. CTA scope
    // appears as STRONG.SM.
    const bool past_l1 = architecture_.set == InstructionSet::sass64 && (in_.has("CG") || in_.has("CV"));
    out_.bypasses_l1 = bulk || past_l1 || in_.has("BYPASS") || in_.has("MMIO") ||
                       (in_.has("STRONG") && (in_.has("GPU") || in_.has("SYS") || in_.has("VC")));
    out_.system_scope = in_.has("STRONG") && in_.has("SYS");
    out_.floating = (row_.op == OpClass::atomic || row_.op == OpClass::reduction) && on_floating_point();
    out_.compares = in_.has("CAS");
    out_.spins = in_.has("CAST");
    out_.writes_memory = row_.op == OpClass::store || row_.op == OpClass::store_shared || row_.op == OpClass::atomic ||
                         row_.op == OpClass::reduction || row_.op == OpClass::atomic_shared ||
                         row_.op == OpClass::async_copy;
  }

  /// Number of channels of a texture instruction: the mask after the shape; without a mask, four.
  int channels() const {
    const Operand& last = in_.operands.back();
    const bool letters = row_.mnemonic == "TEXS" || row_.mnemonic == "TLDS";
    if (letters) return static_cast<int>(last.text.size());
    if (row_.mnemonic == "TLD4S") return 4;
    return last.kind == OperandKind::imm ? std::popcount(static_cast<unsigned>(last.value & 0xf)) : 4;
  }

  bool shape_is(std::string_view shape) const {
    return std::any_of(in_.operands.begin(), in_.operands.end(), [&](const Operand& o) { return o.text == shape; });
  }

  /// Number of registers for a texture's coordinates. With two groups (.SCR) the level of detail is in the second
  /// group; otherwise it has its own register.
  std::uint8_t coordinates(bool second) const {
    int all = 1;
    if (shape_is("2D") || shape_is("ARRAY_1D")) all = 2;
    if (shape_is("3D") || shape_is("ARRAY_2D") || shape_is("CUBE")) all = 3;
    if (shape_is("ARRAY_CUBE")) all = 4;
    const bool short_form = row_.mnemonic == "TEXS" || row_.mnemonic == "TLDS" || row_.mnemonic == "TLD4S";
    if (row_.mnemonic == "TLD4S") all = 2;
    if (!in_.has("SCR") && !short_form) return static_cast<std::uint8_t>(second ? 1 : all);
    all += in_.has("LL") || in_.has("LB") ? 1 : 0;
    return static_cast<std::uint8_t>(second ? std::max(all / 2, 1) : (all + 1) / 2);
  }

  std::uint8_t count(const Role& role) const {
    switch (role.size) {
      case '2':
        return 2;
      case '4':
        return static_cast<std::uint8_t>(std::clamp(channels(), 1, 4));
      case 'w':
        return in_.has("WIDE") ? 2 : 1;
      case 'e':
        return in_.has("128") ? 4 : pair_modifier() ? 2 : 1;
      case 'm':
        return static_cast<std::uint8_t>(std::max(1, out_.access_bytes / 4));
      case 'f':
        return in_.has("F64") ? 2 : 1;
      case 'l':
        return in_.has("S64") || in_.has("U64") ? 2 : 1;
      case 'g':
        return type_is_f64(in_, 0) ? 2 : 1;
      case 'h':
        return type_is_f64(in_, 1) ? 2 : 1;
      case 'k':
        return in_.has("32") ? 1 : 2;
      case 'n':
        return out_.matrices;
      case 'x':
        return static_cast<std::uint8_t>(std::clamp(channels(), 1, 2));
      case 'y':
        return static_cast<std::uint8_t>(std::clamp(channels() - 2, 1, 2));
      case 's':
      case 'v':
        return coordinates(role.size == 'v');
      case 'u':
        return static_cast<std::uint8_t>(2 *
                                         (coordinates(false) - (shape_is("ARRAY_1D") || shape_is("ARRAY_2D") ? 1 : 0)));
      case 't':
        return role.letter == 'A'   ? tensor_.registers_a
               : role.letter == 'B' ? tensor_.registers_b
                                    : tensor_.registers_c;
      default:
        return 1;
    }
  }

  void walk_operands() {
    const std::vector<Role> roles = split_roles(row_.roles);
    std::size_t next = 0;
    bool after_immediate = false;
    for (const Operand& operand : in_.operands) {
      // A packed immediate of a half-precision instruction is printed as two numbers.
      const bool immediate = operand.kind == OperandKind::fimm || operand.kind == OperandKind::imm;
      const bool second_half = immediate && std::exchange(after_immediate, immediate && !after_immediate);
      if (second_half && in_.opcode.starts_with('H') && row_.op == OpClass::fp16) continue;
      after_immediate = immediate;
      std::size_t at = next;
      while (at < roles.size() && !fits(roles[at], operand) && roles[at].optional) ++at;
      // Numbers after the last role have no meaning here.
      if (at >= roles.size() || !fits(roles[at], operand)) continue;
      apply(roles[at], operand);
      next = at + 1;
    }
  }

  void apply(const Role& role, const Operand& operand) {
    if (operand.kind == OperandKind::special) {
      out_.reads_clock =
          operand.text.find("CLOCK") != std::string::npos || operand.text.find("GLOBALTIMER") != std::string::npos;
      out_.reads_thread =
          operand.text.find("SR_TID") != std::string::npos || operand.text.find("SR_LANEID") != std::string::npos;
    }
    switch (role.letter) {
      case 'D':
        write_register(operand, count(role));
        break;
      case 'P':
        write_predicate(operand);
        break;
      case 'Q':
        if (operand.kind == OperandKind::pred || operand.kind == OperandKind::upred)
          read_predicate(operand.index, operand.kind == OperandKind::upred);
        break;
      case 'A':
        read_operand(operand, count(role), 0);
        break;
      case 'B':
        read_operand(operand, count(role), 1);
        break;
      case 'C':
        read_operand(operand, count(role), 2);
        break;
      case 'E':
        read_operand(operand, 1, 2);
        break;
      case 'M':
        read_address(operand, row_.space);
        break;
      case 'H':
        read_address(operand, Space::shared);
        break;
      case 'K':
        read_base(operand);
        break;
      case 'Y':
        whole_predicate_file(operand);
        break;
      default:
        break;
    }
  }

  void write_register(const Operand& operand, std::uint8_t registers) {
    const bool uniform = operand.kind == OperandKind::ureg;
    if (operand.index == (uniform ? kURZ : kRZ)) return;
    out_.writes.push_back({operand.index, registers, 0, uniform, false});
  }

  void write_predicate(const Operand& operand) {
    if (operand.index == kPT) return;
    (operand.kind == OperandKind::upred ? out_.upred_writes : out_.pred_writes) |=
        static_cast<std::uint8_t>(1u << operand.index);
  }

  void read_predicate(std::uint8_t index, bool uniform) {
    if (index == kPT) return;
    (uniform ? out_.upred_reads : out_.pred_reads) |= static_cast<std::uint8_t>(1u << index);
  }

  void read_register(std::uint8_t index, std::uint8_t registers, std::uint8_t slot, bool uniform, bool reuse) {
    if (index == (uniform ? kURZ : kRZ)) return;
    out_.reads.push_back({index, registers, slot, uniform, reuse});
  }

  void read_operand(const Operand& operand, std::uint8_t registers, std::uint8_t slot) {
    if (operand.kind == OperandKind::reg || operand.kind == OperandKind::ureg)
      read_register(operand.index, registers, slot, operand.kind == OperandKind::ureg, operand.reuse);
    else if (operand.kind == OperandKind::memory)
      read_address(operand, row_.space);
    else if (operand.kind == OperandKind::constant)
      read_constant(operand);
  }

  bool on_floating_point() const {
    const auto& modifiers = in_.modifiers;
    return std::any_of(modifiers.begin(), modifiers.end(), [](const std::string& name) {
      return name == "F32" || name == "F64" || name.starts_with("F16") || name.starts_with("BF16");
    });
  }

  void read_base(const Operand& operand) {
    if (operand.base) read_register(*operand.base, 1, 0, false, operand.reuse);
    if (operand.ubase) read_register(*operand.ubase, 1, 0, true, false);
    if (operand.ur_bank) read_register(*operand.ur_bank, 2, 0, true, false);
  }

  void read_constant(const Operand& operand) {
    read_base(operand);
    const bool indexed =
        (operand.base && *operand.base != kRZ) || (operand.ubase && *operand.ubase != kURZ) || operand.ur_bank;
    out_.constants.push_back({operand.bank, static_cast<std::uint32_t>(operand.offset), indexed});
  }

  void read_address(const Operand& operand, Space space) {
    const bool wide_space = space == Space::global || space == Space::generic;
    const bool narrow_base = operand.has("U32") || operand.has("S32");
    // Volta prints a 64-bit address as ".E" and a bare register.
    const bool wide =
        operand.base_wide || (wide_space && in_.has("E") && !narrow_base) || has_joined_address(row_.mnemonic);
    if (operand.base) read_register(*operand.base, wide ? 2 : 1, 0, false, operand.reuse);
    if (operand.ubase) read_register(*operand.ubase, wide_space || operand.ubase_wide ? 2 : 1, 0, true, false);
    if (operand.descriptor) read_register(out_.descriptor = *operand.descriptor, 2, 0, true, false);
  }

  /// P2R R0, PR, R1, 0x7f reads the predicates in the mask; R2P PR, R1, 0x7f writes them.
  void whole_predicate_file(const Operand& operand) {
    if (operand.text != "PR" && operand.text != "UPR") return;
    const Operand& last = in_.operands.back();
    const auto mask = static_cast<std::uint8_t>(last.kind == OperandKind::imm ? last.value & 0x7f : 0x7f);
    const bool uniform = operand.text == "UPR";
    const bool reads = row_.mnemonic == "P2R" || row_.mnemonic == "UP2UR";
    if (reads)
      (uniform ? out_.upred_reads : out_.pred_reads) |= mask;
    else
      (uniform ? out_.upred_writes : out_.pred_writes) |= mask;
  }

  /// The uniform register pair of a descriptor is in bits 37:32 of loads, else 69:64. CUDA 11.8 prints it in code for
  /// sm_80 that sets a policy, and never for sm_90. Bit 91 is set if it is used.
  void add_descriptor() {
    if (!architecture_.descriptors || (row_.space != Space::global && row_.space != Space::generic) ||
        (in_.high >> 27 & 1) == 0)
      return;
    const auto index = static_cast<std::uint8_t>((row_.op == OpClass::load ? in_.low >> 32 : in_.high) & 0x3f);
    out_.descriptor = index;
    for (const RegisterUse& use : out_.reads)
      if (use.uniform && use.first == index) return;
    read_register(index, 2, 0, true, false);
  }

  const Instruction& in_;
  const OpcodeRow& row_;
  const Architecture& architecture_;
  TensorShape tensor_;
  Decoded out_;
};

}  // namespace

bool syncs_behind(const Instruction& instruction, int sm) {
  return code_rules(architecture(sm)).suffix_syncs && !instruction.modifiers.empty() &&
         instruction.modifiers.back() == "S";
}

Decoded decode(const Instruction& instruction, int sm) {
  const Architecture& target = architecture(sm);
  const OpcodeRow* row = find_opcode(instruction.opcode, target.set);
  if (row == nullptr)
    throw NotSupported("opcode '{}' at 0x{:x} is not in the opcode table: {}", instruction.opcode, instruction.pc,
                       instruction.text());
  Decoded decoded = RoleDecoder(instruction, *row, target).run();
  if (decoded.flow == ControlFlow::none && syncs_behind(instruction, sm)) decoded.flow = ControlFlow::branch;
  return decoded;
}

}  // namespace sassim::isa
