// SPDX-License-Identifier: Apache-2.0
// The opcode table of 64-bit instruction sets (Kepler to Pascal): one row per mnemonic whose operands or timing differ
// in 64-bit instruction sets; the legend of the roles is in opcode_table.cpp. Latency kinds are the barriers that ptxas
// of CUDA 11.8 sets in code for sm_52, sm_60 and sm_61.
#include "sim/isa/opcode.h"

namespace sassim::isa {
namespace {

constexpr OpcodeRow row64(std::string_view mnemonic, OpClass op, Latency latency, std::string_view roles,
                          std::string_view meaning) {
  return {mnemonic, op, latency, Space::none, ControlFlow::none, roles, meaning};
}
constexpr OpcodeRow fixed64(std::string_view mnemonic, OpClass op, std::string_view roles, std::string_view meaning) {
  return row64(mnemonic, op, Latency::fixed, roles, meaning);
}
constexpr OpcodeRow variable64(std::string_view mnemonic, OpClass op, std::string_view roles,
                               std::string_view meaning) {
  return row64(mnemonic, op, Latency::variable, roles, meaning);
}
constexpr OpcodeRow flow64(std::string_view mnemonic, ControlFlow control, std::string_view roles,
                           std::string_view meaning) {
  const OpClass op = control == ControlFlow::sync ? OpClass::convergence : OpClass::branch;
  return {mnemonic, op, Latency::fixed, Space::none, control, roles, meaning};
}
constexpr OpcodeRow memory64(std::string_view mnemonic, OpClass op, std::string_view roles, std::string_view meaning) {
  return {mnemonic, op, Latency::variable, Space::shared, ControlFlow::none, roles, meaning};
}
constexpr OpcodeRow texture64(std::string_view mnemonic, std::string_view roles, std::string_view meaning) {
  return {mnemonic, OpClass::texture, Latency::variable, Space::texture, ControlFlow::none, roles, meaning};
}

constexpr OpcodeRow kTable64[] = {
    // floating point
    fixed64("FADD32I", OpClass::fp32, "D A C", "add an immediate"),
    fixed64("FMUL32I", OpClass::fp32, "D A B", "multiply by an immediate"),
    fixed64("FFMA32I", OpClass::fp32, "D A B C", "fused multiply-add with an immediate"),
    fixed64("FCMP", OpClass::fp32_cmp, "D A B C", "choose by a comparison with zero"),
    fixed64("FCHK", OpClass::fp32_cmp, "P A B", "does a division need the slow path"),
    fixed64("RRO", OpClass::fp32_alu, "D B", "prepare an operand of MUFU"),
    variable64("DMNMX", OpClass::fp64, "D:2 A:2 B:2 Q", "minimum or maximum"),
    variable64("DSET", OpClass::fp64_cmp, "D A:2 B:2 Q", "compare into a register"),
    variable64("DSETP", OpClass::fp64_cmp, "P P A:2 B:2 Q", "compare into predicates"),
    variable64("HADD2", OpClass::fp16, "D A C", "packed add"),
    variable64("HMUL2", OpClass::fp16, "D A B", "packed multiply"),
    variable64("HFMA2", OpClass::fp16, "D A B C", "packed fused multiply-add"),
    variable64("HADD2_32I", OpClass::fp16, "D A C", "packed add of an immediate"),
    variable64("HMUL2_32I", OpClass::fp16, "D A B", "packed multiply by an immediate"),
    variable64("HFMA2_32I", OpClass::fp16, "D A B C", "packed fused multiply-add with an immediate"),
    variable64("HSET2", OpClass::fp16, "D A B Q", "packed compare into a register"),
    variable64("HSETP2", OpClass::fp16, "P P A B Q", "packed compare into predicates"),
    // integers
    fixed64("IADD", OpClass::int_alu, "D A B", "add"),
    fixed64("IADD32I", OpClass::int_alu, "D A B", "add an immediate"),
    fixed64("IADD3", OpClass::int_alu, "D A B C", "three-input add"),
    fixed64("ISUB", OpClass::int_alu, "D A B", "subtract"),
    fixed64("IMAD", OpClass::imad, "D:w A B C:w", "a word of a product, plus a third operand"),
    fixed64("IMUL", OpClass::imad, "D A B", "a word of a product"),
    fixed64("IMUL32I", OpClass::imad, "D A B", "a word of a product with an immediate"),
    fixed64("ISAD", OpClass::int_alu, "D A B C", "absolute difference, accumulated"),
    fixed64("ISCADD", OpClass::int_alu, "D A B I", "shift and add"),
    fixed64("ISCADD32I", OpClass::int_alu, "D A B I", "shift and add an immediate"),
    fixed64("LEA", OpClass::int_alu, "p D A B c i", "shift and add an address"),
    fixed64("XMAD", OpClass::imad, "D A B C", "multiply halves and add"),
    fixed64("BFE", OpClass::int_alu, "D A B", "extract a bit field"),
    fixed64("BFI", OpClass::int_alu, "D A B C", "insert a bit field"),
    fixed64("SHL", OpClass::int_alu, "D A B", "shift left"),
    fixed64("SHR", OpClass::int_alu, "D A B", "shift right"),
    fixed64("LOP", OpClass::int_alu, "p D A B", "logic"),
    fixed64("LOP32I", OpClass::int_alu, "D A B", "logic with an immediate"),
    fixed64("LOP3", OpClass::int_alu, "p D A B C I", "three-input logic by truth table"),
    fixed64("ISET", OpClass::int_cmp, "D A B Q", "compare into a register"),
    fixed64("ICMP", OpClass::int_cmp, "D A B C", "choose by a comparison with zero"),
    fixed64("MOV32I", OpClass::mov, "D B", "move an immediate"),
    fixed64("VMNMX", OpClass::int_alu, "D A B C", "minimum or maximum of three"),
    fixed64("VADD", OpClass::int_alu, "D A B C", "add parts of registers, and a second operation"),
    fixed64("VSET", OpClass::int_alu, "D A B C", "compare parts of registers, and a second operation"),
    fixed64("VSHL", OpClass::int_alu, "D A B C", "shift a part of a register left, and a second operation"),
    fixed64("VSHR", OpClass::int_alu, "D A B C", "shift a part of a register right, and a second operation"),
    fixed64("VMAD", OpClass::imad, "D A B C", "multiply parts of registers and add"),
    fixed64("VADD2", OpClass::int_alu, "D A B C", "add two halves"),
    fixed64("VADD4", OpClass::int_alu, "D A B C", "add four bytes"),
    fixed64("VABSDIFF2", OpClass::int_alu, "D A B C", "absolute differences of two halves"),
    fixed64("VMNMX2", OpClass::int_alu, "D A B C", "minima or maxima of two halves"),
    fixed64("VMNMX4", OpClass::int_alu, "D A B C", "minima or maxima of four bytes"),
    fixed64("VSET2", OpClass::int_alu, "D A B C", "compare two halves"),
    fixed64("VSET4", OpClass::int_alu, "D A B C", "compare four bytes"),
    // predicates
    fixed64("PSET", OpClass::pred, "D Q Q Q", "logic of predicates into a register"),
    fixed64("PSETP", OpClass::pred, "P P Q Q Q", "logic of predicates"),
    fixed64("CSET", OpClass::pred, "D Y Q", "test of CC into a register"),
    fixed64("CSETP", OpClass::pred, "P P Y Q", "test of CC"),
    // between lanes, special registers
    fixed64("VOTE", OpClass::vote, "d p Q", "any, all, equal or ballot"),
    fixed64("CS2R", OpClass::cs2r, "D S", "read a special register in the control stage"),
    variable64("I2I", OpClass::convert, "D B", "integer to integer with saturation"),
    variable64("POPC", OpClass::popc, "D B a", "count the ones that both have"),
    memory64("LDSLK", OpClass::load_shared, "P D:m M", "load from shared memory and lock"),
    memory64("STSCUL", OpClass::atomic_shared, "P M B:m", "store to shared memory and unlock"),
    // control flow
    flow64("BRA", ControlFlow::branch, "y L", "branch"),
    flow64("BRX", ControlFlow::indirect, "A i", "branch by a register"),
    flow64("CAL", ControlFlow::call, "L", "call"),
    flow64("JCAL", ControlFlow::call, "L", "call an absolute address"),
    flow64("RET", ControlFlow::ret, "y", "return"),
    flow64("KIL", ControlFlow::exit, "y", "end the thread"),
    flow64("SSY", ControlFlow::sync, "L", "name the place where threads meet"),
    flow64("SYNC", ControlFlow::branch, "y", "wait there"),
    flow64("PBK", ControlFlow::sync, "L", "name the place behind a loop"),
    flow64("BRK", ControlFlow::branch, "y", "wait there"),
    flow64("PCNT", ControlFlow::sync, "L", "name the next turn of a loop"),
    flow64("CONT", ControlFlow::branch, "y", "wait there"),
    flow64("PRET", ControlFlow::sync, "L", "name the place behind a call"),
    fixed64("DEPBAR", OpClass::depbar, "y i y", "wait for dependence counters"),
    fixed64("TEXDEPBAR", OpClass::depbar, "i", "wait for textures"),
    // textures
    texture64("TEXS", "d:y D:x A:s b:v i y y", "texture fetch"),
    texture64("TLDS", "d:y D:x A:s b:v i y y", "texture load"),
    texture64("TLD4S", "d:y D:x A:s b:v i", "texture gather"),
    texture64("TEX", "D:4 A:s b i y i", "texture fetch"),
    texture64("TLD", "D:4 A:s b i y i", "texture load"),
    texture64("TLD4", "D:4 A:s b i y i", "texture gather"),
    texture64("TXD", "D:4 A:s b:u i y i", "texture fetch with derivatives"),
    texture64("TXQ", "D:4 A y i i", "texture query"),
    // Kepler's surfaces
    fixed64("SUCLAMP", OpClass::int_alu, "P D A B I", "bound a coordinate of a surface and split it"),
    fixed64("SUBFM", OpClass::int_alu, "P D A B C", "place of coordinates in a tile of a surface"),
    fixed64("SUEAU", OpClass::int_alu, "D A B C", "the upper 32 of the 40 bits of an address in a surface"),
    fixed64("IMADSP", OpClass::imad, "D A B C", "multiply parts of registers and add"),
    texture64("SULDGA", "D:m M B Q", "load from a surface's address"),
    {"SUSTGA", OpClass::store, Latency::variable, Space::texture, ControlFlow::none, "M B C:m Q",
     "store to a surface's address"},
};

}  // namespace

std::span<const OpcodeRow> opcode_table_64() { return kTable64; }

}  // namespace sassim::isa
