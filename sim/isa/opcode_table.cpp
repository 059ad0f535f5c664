// SPDX-License-Identifier: Apache-2.0
// The opcode table: one row per mnemonic of sm_70 to sm_90. Those of earlier architectures that differ are in
// opcode_table_64.cpp.
//
// Legend of the roles, one word per operand in printed order; LETTER or LETTER:SIZE.
//   D  destination register          d  the same, where it may be missing
//   P  destination predicate         p  optional
//   A B C  source in operand slot a, b, c (register, uniform register, constant or immediate)     a b c  optional
//   E  source register without a slot                                                             e  optional
//   Q  source predicate              q  optional
//   M  address in the row's space (slot a)      H  address in shared memory, also where the row's space is another
//   K  constant that is an address   m  optional address
//   S  special register   L  label   l  optional   I  number   i  optional   Y  others: barriers, names   y  optional
// An operand that the next role cannot be is tried with the one after it when that role is optional.
// SIZE, in registers; 1 where nothing is said:
//   2  a pair               w  a pair if .WIDE            e  a pair if .64, .U64 or .S64, a quad if .128
//   m  by the access width  f  a pair if .F64             l  a pair if .S64 or .U64
//   g  a pair if the first type is F64   h  a pair if the second is   k  a pair unless .32
//   4  the channels of a texture   x  its first two channels   y  its others   s  its coordinates by shape
//   v  those of a second group of coordinates   u  its derivatives, two for each coordinate
//   t  by the tensor shape  n  by the number of matrices (LDSM, STSM: .2 .4)
//
// Sources: the disassembler's list of operations per architecture. Pipes and latency kinds come from the dependence
// tables that compilers follow (arXiv:1804.06826 and arXiv:1903.07486, appendices) and from the write counters that the
// compiler sets in the corpus; tests/stage/isa checks every row against them.
#include <algorithm>
#include <unordered_map>

#include "sim/isa/opcode.h"

namespace sassim::isa {
namespace {

constexpr auto kFixed = Latency::fixed;
constexpr auto kVariable = Latency::variable;
constexpr auto kNoSpace = Space::none;
constexpr auto kStraight = ControlFlow::none;

constexpr OpcodeRow fixed(std::string_view mnemonic, OpClass op, std::string_view roles, std::string_view meaning) {
  return {mnemonic, op, kFixed, kNoSpace, kStraight, roles, meaning};
}
constexpr OpcodeRow variable(std::string_view mnemonic, OpClass op, std::string_view roles, std::string_view meaning) {
  return {mnemonic, op, kVariable, kNoSpace, kStraight, roles, meaning};
}
constexpr OpcodeRow memory(std::string_view mnemonic, OpClass op, Space space, std::string_view roles,
                           std::string_view meaning) {
  return {mnemonic, op, kVariable, space, kStraight, roles, meaning};
}
constexpr OpcodeRow flow(std::string_view mnemonic, ControlFlow control, std::string_view roles,
                         std::string_view meaning) {
  return {
      mnemonic, control == ControlFlow::sync ? OpClass::convergence : OpClass::branch, kFixed, kNoSpace, control, roles,
      meaning};
}

constexpr OpcodeRow kTable[] = {
    // single precision
    fixed("FADD", OpClass::fp32, "D A C", "add"),
    fixed("FMUL", OpClass::fp32, "D A B", "multiply"),
    fixed("FFMA", OpClass::fp32, "D A B C", "fused multiply-add"),
    fixed("FSWZADD", OpClass::fp32, "D A B Y", "add with a sign per lane of a quad"),
    fixed("FMNMX", OpClass::fp32_alu, "D A B Q", "minimum or maximum"),
    fixed("FSEL", OpClass::fp32_alu, "D A B Q", "select by a predicate"),
    fixed("FSET", OpClass::fp32_cmp, "D A B Q", "compare into a register"),
    fixed("FSETP", OpClass::fp32_cmp, "P P A B Q", "compare into predicates"),
    variable("FCHK", OpClass::mufu, "P A B", "does a division need the slow path"),
    variable("MUFU", OpClass::mufu, "D B", "special function"),
    // half precision
    fixed("HADD2", OpClass::fp16, "D A C", "packed add"),
    fixed("HMUL2", OpClass::fp16, "D A B", "packed multiply"),
    fixed("HFMA2", OpClass::fp16, "D A B C", "packed fused multiply-add"),
    fixed("HMNMX2", OpClass::fp16, "D A B Q", "packed minimum or maximum"),
    fixed("HSET2", OpClass::fp16, "D A C Q", "packed compare into a register"),
    fixed("HSETP2", OpClass::fp16, "P P A C Q", "packed compare into predicates"),
    // double precision
    fixed("DADD", OpClass::fp64, "D:2 A:2 C:2", "add"),
    fixed("DMUL", OpClass::fp64, "D:2 A:2 B:2", "multiply"),
    fixed("DFMA", OpClass::fp64_fma, "D:2 A:2 B:2 C:2", "fused multiply-add"),
    fixed("DSETP", OpClass::fp64_cmp, "P P A:2 C:2 Q", "compare into predicates"),
    // integers
    fixed("IADD3", OpClass::int_alu, "D p p A B C q q", "three-input add with carries"),
    fixed("LOP3", OpClass::int_alu, "p D A B C I q", "three-input logic by truth table"),
    fixed("SHF", OpClass::int_alu, "D A B C", "funnel shift"),
    fixed("LEA", OpClass::int_alu, "D p A B c i q", "shift and add"),
    fixed("PRMT", OpClass::int_alu, "D A B C", "byte permute"),
    fixed("SEL", OpClass::int_alu, "D A B Q", "select by a predicate"),
    fixed("IMNMX", OpClass::int_alu, "D A B Q", "minimum or maximum"),
    fixed("VIADD", OpClass::int_alu, "D A B", "add"),
    fixed("VIMNMX", OpClass::int_alu, "D p p A B Q", "minimum or maximum, also of halves"),
    fixed("VIMNMX3", OpClass::int_alu, "D A B C Q", "minimum or maximum of three"),
    fixed("VIADDMNMX", OpClass::int_alu, "D A B C Q", "minimum or maximum of a sum and a third operand"),
    fixed("BMSK", OpClass::int_alu, "D A B", "bit mask of a place and a width"),
    fixed("SGXT", OpClass::int_alu, "D A B", "extend the sign from a bit"),
    fixed("IABS", OpClass::int_alu, "D B", "absolute value"),
    fixed("VABSDIFF", OpClass::int_alu, "D p A B C", "absolute difference, accumulated"),
    fixed("VABSDIFF4", OpClass::int_alu, "D p A B C", "absolute differences of four bytes, accumulated"),
    fixed("ISETP", OpClass::int_cmp, "P P A B Q q", "compare into predicates"),
    fixed("MOV", OpClass::mov, "D B i", "move"),
    fixed("IMAD", OpClass::imad, "D:w p A B C:w q", "multiply-add; .MOV .SHL .IADD are moves, shifts and adds"),
    fixed("IDP", OpClass::idp, "D A B C", "dot product of bytes or halves"),
    fixed("IDP4A", OpClass::idp, "D A B C", "dot product of four bytes"),
    variable("POPC", OpClass::popc, "D B", "count ones"),
    variable("FLO", OpClass::bit_scan, "D p B", "find the leading one"),
    variable("BREV", OpClass::bit_scan, "D B", "reverse the bits"),
    // conversions
    variable("F2F", OpClass::convert, "D:g B:h", "float to float"),
    variable("F2I", OpClass::convert, "D:l B:f", "float to integer"),
    variable("I2F", OpClass::convert, "D:f B:l", "integer to float"),
    variable("FRND", OpClass::convert, "D:f B:f", "round to an integral value"),
    fixed("I2I", OpClass::int_alu, "D B", "integer to integer with saturation"),
    fixed("F2FP", OpClass::int_alu, "D A B c", "two floats into a packed pair"),
    variable("F2IP", OpClass::convert, "D A B C", "two floats into packed integers"),
    fixed("I2IP", OpClass::int_alu, "D A B C", "two integers into a packed pair"),
    fixed("I2FP", OpClass::int_alu, "D B", "integer to float, 32 bits"),
    // predicates
    fixed("PLOP3", OpClass::pred, "P P Q Q Q I I", "three-input logic of predicates"),
    fixed("P2R", OpClass::pred, "D Y A B", "predicates into a register"),
    fixed("R2P", OpClass::pred, "Y A B", "a register into predicates"),
    // between lanes
    fixed("VOTE", OpClass::vote, "d p Q", "any, all, equal or ballot"),
    variable("MATCH", OpClass::match, "p D A:e", "lanes with the same value"),
    variable("REDUX", OpClass::redux, "D A", "reduce over the warp into a uniform register"),
    variable("SHFL", OpClass::shuffle, "P D A B C", "move between lanes"),
    variable("ELECT", OpClass::vote, "P D q", "choose one lane"),
    variable("MOVM", OpClass::shuffle, "D A", "transpose a matrix over the warp"),
    // special registers
    variable("S2R", OpClass::s2r, "D S", "read a special register"),
    fixed("CS2R", OpClass::cs2r, "D:k S", "read a special register in the control stage"),
    variable("S2UR", OpClass::s2ur, "D S", "read a special register into a uniform register"),
    variable("R2UR", OpClass::uniform_mem, "p D A", "a register into a uniform register"),
    variable("B2R", OpClass::s2r, "d p i", "read a barrier's state"),
    variable("R2B", OpClass::barrier, "I B", "write a barrier's state"),
    fixed("LEPC", OpClass::branch, "D:2 l", "the address of a label, or its own"),
    variable("GETLMEMBASE", OpClass::s2r, "D:2", "read the local memory base"),
    variable("SETLMEMBASE", OpClass::s2r, "A:2", "write the local memory base"),
    // uniform datapath
    fixed("UIADD3", OpClass::uniform, "D:e p p A:e B:e C:e q q", "three-input add with carries"),
    fixed("ULOP3", OpClass::uniform, "p D A B C I q", "three-input logic by truth table"),
    fixed("UIMAD", OpClass::uniform, "D:w A B C:w", "multiply-add"),
    fixed("USHF", OpClass::uniform, "D A B C", "funnel shift"),
    fixed("UMOV", OpClass::uniform, "D B", "move"),
    fixed("ULEA", OpClass::uniform, "D p A B c i q", "shift and add"),
    fixed("UISETP", OpClass::uniform, "P P A B Q q", "compare into predicates"),
    fixed("UPLOP3", OpClass::uniform, "P P Q Q Q I I", "three-input logic of predicates"),
    fixed("UPRMT", OpClass::uniform, "D A B C", "byte permute"),
    fixed("USEL", OpClass::uniform, "D A B Q", "select by a predicate"),
    fixed("USGXT", OpClass::uniform, "D A B", "extend the sign from a bit"),
    fixed("UBMSK", OpClass::uniform, "D A B", "bit mask of a place and a width"),
    fixed("UBREV", OpClass::uniform, "D B", "reverse the bits"),
    fixed("UPOPC", OpClass::uniform, "D B", "count ones"),
    fixed("UFLO", OpClass::uniform, "D p B", "find the leading one"),
    fixed("UF2FP", OpClass::uniform, "D A B", "two floats into a packed pair"),
    fixed("UP2UR", OpClass::uniform, "D Y A B", "uniform predicates into a register"),
    fixed("UR2UP", OpClass::uniform, "Y A B", "a register into uniform predicates"),
    fixed("UCLEA", OpClass::uniform, "D p A B i", "shift and add within the cluster"),
    fixed("ULEPC", OpClass::uniform, "D:2 l", "program counter"),
    fixed("VOTEU", OpClass::uniform_mem, "d p Q", "any, all, equal or ballot into a uniform register"),
    fixed("ULDC", OpClass::uniform_ldc, "D:e B q", "load a constant"),
    // tensor cores
    fixed("HMMA", OpClass::hmma, "D:t A:t B:t C:t e i q", "matrix multiply-add of halves"),
    fixed("IMMA", OpClass::imma, "D:t A:t B:t C:t e i q", "matrix multiply-add of integers"),
    fixed("BMMA", OpClass::imma, "D:t A:t B:t C:t q", "matrix multiply-add of bits"),
    fixed("DMMA", OpClass::dmma, "D:t A:t B:t C:t q", "matrix multiply-add of doubles"),
    variable("HGMMA", OpClass::gmma, "D:t a:t m m C:t q y", "warp-group matrix multiply-add of halves"),
    variable("IGMMA", OpClass::gmma, "D:t a:t m m C:t q y", "warp-group matrix multiply-add of integers"),
    variable("QGMMA", OpClass::gmma, "D:t a:t m m C:t q y", "warp-group matrix multiply-add of 8-bit floats"),
    variable("BGMMA", OpClass::gmma, "D:t a:t m m C:t q y", "warp-group matrix multiply-add of bits"),
    fixed("WARPGROUP", OpClass::gmma, "y", "order warp-group instructions"),
    fixed("WARPGROUPSET", OpClass::gmma, "b", "set the warp group"),
    // control flow
    flow("BRA", ControlFlow::branch, "q q a L", "branch"),
    flow("JMP", ControlFlow::branch, "q q b L", "branch to an absolute address"),
    flow("BRX", ControlFlow::indirect, "q A:2 i", "branch by a register"),
    flow("BRXU", ControlFlow::indirect, "q A:2 i", "branch by a uniform register"),
    flow("JMX", ControlFlow::indirect, "q A:2 i", "branch to an address in a register"),
    flow("JMXU", ControlFlow::indirect, "q A:2 i", "branch to an address in a uniform register"),
    flow("CALL", ControlFlow::call, "q a:2 L", "call"),
    flow("RET", ControlFlow::ret, "q A:2 L", "return"),
    flow("EXIT", ControlFlow::exit, "q", "end the thread"),
    flow("KILL", ControlFlow::exit, "q", "end the thread"),
    flow("RTT", ControlFlow::exit, "q", "return from a trap"),
    flow("BPT", ControlFlow::exit, "q i", "trap"),
    flow("BSSY", ControlFlow::sync, "q Y L", "name the threads that meet again"),
    flow("BSYNC", ControlFlow::sync, "q Y", "wait for those threads"),
    flow("BREAK", ControlFlow::sync, "q Y", "leave those threads"),
    flow("WARPSYNC", ControlFlow::sync, "q b l", "converge the threads of a mask"),
    flow("ENDCOLLECTIVE", ControlFlow::sync, "q", "end a collective"),
    flow("YIELD", ControlFlow::sync, "q", "let a diverged path run"),
    variable("BMOV", OpClass::convergence, "d:e Y b:e", "move a convergence barrier"),
    fixed("RPCMOV", OpClass::convergence, "d:e Y b:e", "move the return program counter"),
    fixed("NANOSLEEP", OpClass::convergence, "q B", "sleep"),
    fixed("NOP", OpClass::nop, "i", "nothing"),
    fixed("PMTRIG", OpClass::nop, "q i", "trigger a performance counter"),
    fixed("DEPBAR", OpClass::depbar, "y i y", "wait for dependence counters"),
    // synchronisation
    fixed("BAR", OpClass::barrier, "a b q", "thread block barrier"),
    variable("MEMBAR", OpClass::membar, "y", "memory fence"),
    variable("ERRBAR", OpClass::membar, "y", "error fence"),
    variable("FENCE", OpClass::membar, "y", "proxy fence"),
    variable("CGAERRBAR", OpClass::membar, "", "cluster error fence"),
    variable("UCGABAR_ARV", OpClass::barrier, "", "arrive at the cluster barrier"),
    variable("UCGABAR_WAIT", OpClass::barrier, "", "wait at the cluster barrier"),
    memory("CCTL", OpClass::membar, Space::global, "m", "cache control"),
    memory("CCTLL", OpClass::membar, Space::local, "m", "cache control of local memory"),
    memory("CCTLT", OpClass::membar, Space::texture, "y y", "cache control of textures"),
    fixed("ACQBULK", OpClass::depbar, "", "wait for the kernel that this one depends on"),
    fixed("PREEXIT", OpClass::depbar, "", "let dependent kernels start"),
    // memory
    memory("LD", OpClass::load, Space::generic, "p D:m M q", "load from a generic address"),
    memory("LDG", OpClass::load, Space::global, "p D:m M q", "load from global memory"),
    memory("LDL", OpClass::load, Space::local, "D:m M", "load from local memory"),
    memory("LDS", OpClass::load_shared, Space::shared, "D:m M", "load from shared memory"),
    memory("LDSM", OpClass::load_shared, Space::shared, "D:n M", "load matrices from shared memory"),
    memory("LDC", OpClass::load_const, Space::constant, "D:m K", "load from constant memory"),
    memory("ST", OpClass::store, Space::generic, "M B:m q", "store to a generic address"),
    memory("STG", OpClass::store, Space::global, "M B:m q", "store to global memory"),
    memory("STL", OpClass::store, Space::local, "M B:m", "store to local memory"),
    memory("STS", OpClass::store_shared, Space::shared, "M B:m", "store to shared memory"),
    memory("STSM", OpClass::store_shared, Space::shared, "M B:n", "store matrices to shared memory"),
    memory("STAS", OpClass::store_shared, Space::shared, "M B:m", "store to the cluster's shared memory"),
    memory("REDAS", OpClass::atomic_shared, Space::shared, "M B:m", "reduce into the cluster's shared memory"),
    memory("ATOM", OpClass::atomic, Space::generic, "p d:m M B:m c:m", "atomic on a generic address"),
    memory("ATOMG", OpClass::atomic, Space::global, "p d:m M B:m c:m", "atomic on global memory"),
    memory("ATOMS", OpClass::atomic_shared, Space::shared, "p d:m M b:m c:m", "atomic on shared memory"),
    memory("RED", OpClass::reduction, Space::global, "M B:m", "atomic without a result"),
    memory("REDG", OpClass::reduction, Space::global, "M B:m", "atomic without a result"),
    memory("QSPC", OpClass::load, Space::generic, "P d M", "which space is an address in"),
    memory("LDGSTS", OpClass::async_copy, Space::global, "H M q", "copy from global to shared memory"),
    variable("LDGDEPBAR", OpClass::async_wait, "", "count the copies so far into a dependence counter"),
    memory("ARRIVES", OpClass::async_wait, Space::shared, "M b", "arrive at a barrier in shared memory"),
    memory("SYNCS", OpClass::async_wait, Space::shared, "p d:e m b:e c:e", "barrier in shared memory"),
    memory("UBLKCP", OpClass::async_copy, Space::global, "M M B m", "bulk copy"),
    memory("UBLKPF", OpClass::async_copy, Space::global, "M B m", "bulk prefetch"),
    memory("UBLKRED", OpClass::async_copy, Space::global, "M M B m", "bulk reduction"),
    memory("UTMALDG", OpClass::async_copy, Space::global, "M M b m", "tensor load"),
    memory("UTMASTG", OpClass::async_copy, Space::global, "M M b m", "tensor store"),
    memory("UTMAREDG", OpClass::async_copy, Space::global, "M M b m", "tensor reduction"),
    memory("UTMAPF", OpClass::async_copy, Space::global, "M M b m", "tensor prefetch"),
    memory("UTMACCTL", OpClass::async_copy, Space::global, "m", "tensor cache control"),
    memory("UTMACMDFLUSH", OpClass::async_wait, Space::none, "", "flush tensor copies"),
    fixed("USETMAXREG", OpClass::uniform, "b", "change the number of registers"),
    // textures and surfaces
    memory("TEX", OpClass::texture, Space::texture, "d:y D:x A:s b:v c i i y i", "texture fetch"),
    memory("TLD", OpClass::texture, Space::texture, "d:y D:x A:s b:v c i i y i", "texture load"),
    memory("TLD4", OpClass::texture, Space::texture, "d:y D:x A:s b:v c i i y i", "texture gather"),
    memory("TXD", OpClass::texture, Space::texture, "d:y D:x A:s b:u c i i y i", "texture fetch with derivatives"),
    memory("TXQ", OpClass::texture, Space::texture, "d:y D:x A y c i i i", "texture query"),
    memory("SULD", OpClass::texture, Space::texture, "D:m M b i i", "surface load"),
    memory("SUST", OpClass::store, Space::texture, "M B:m c i i", "surface store"),
    // Known by name for messages only; neither the emulator nor the model has them.
    memory("TMML", OpClass::texture, Space::texture, "", "texture level of detail"),
    memory("SUATOM", OpClass::texture, Space::texture, "", "surface atomic"),
    memory("SURED", OpClass::texture, Space::texture, "", "surface reduction"),
    memory("SUQUERY", OpClass::texture, Space::texture, "", "surface query"),
};

}  // namespace

std::span<const OpcodeRow> opcode_table() { return kTable; }

const OpcodeRow* find_opcode(std::string_view mnemonic, InstructionSet set) {
  using Rows = std::unordered_map<std::string_view, const OpcodeRow*>;
  static const Rows common = [] {
    Rows rows;
    for (const OpcodeRow& row : kTable) rows.emplace(row.mnemonic, &row);
    return rows;
  }();
  static const Rows other = [] {
    Rows rows;
    for (const OpcodeRow& row : opcode_table_64()) rows.emplace(row.mnemonic, &row);
    rows.insert(common.begin(), common.end());
    return rows;
  }();
  const Rows& index = set == InstructionSet::sass64 ? other : common;
  const auto found = index.find(mnemonic);
  return found == index.end() ? nullptr : found->second;
}

}  // namespace sassim::isa
