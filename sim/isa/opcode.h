// SPDX-License-Identifier: Apache-2.0
// The opcode table, and what the timing model must know of an instruction (Decoded). A row gives for a mnemonic its op
// class, which decides its timing, and what each of its operands is for (its role).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sim/isa/architecture.h"
#include "sim/isa/instruction.h"

namespace sassim::isa {

/// Instructions with the same timing. A GPU's YAML gives each class a pipe, a latency and an interval
/// (`sm.pipes.ops.<name>`); op_class_name() gives the names.
enum class OpClass : std::uint8_t {
  fp32,           // FADD FMUL FFMA FSWZADD
  fp32_alu,       // FMNMX FSEL: single precision on the integer pipe
  fp32_cmp,       // FSET FSETP: the same, with a shorter latency
  int_alu,        // IADD3 LOP3 SHF LEA PRMT SEL IMNMX VIADD BMSK SGXT IABS ...
  int_cmp,        // ISETP
  mov,            // MOV
  imad,           // IMAD, all 32-bit forms
  imad_wide,      // IMAD.WIDE, IMAD.HI
  idp,            // IDP, IDP4A
  fp16,           // HADD2 HMUL2 HFMA2 HSET2 HSETP2 HMNMX2
  fp16_widen,     // HADD2.F32: a half as a float
  fp16_mma,       // HFMA2.MMA: where matrices are multiplied
  fp64,           // DADD DMUL
  fp64_fma,       // DFMA
  fp64_cmp,       // DSETP DSET
  mufu,           // MUFU
  convert,        // F2F F2I I2F I2I FRND and packed forms, 32-bit and narrower
  convert64,      // conversions with a 64-bit side
  popc,           // POPC
  bit_scan,       // FLO BREV
  pred,           // PLOP3 P2R R2P
  vote,           // VOTE
  match,          // MATCH
  redux,          // REDUX
  shuffle,        // SHFL
  s2r,            // S2R
  s2ur,           // S2UR
  cs2r,           // CS2R: reads the clock in Control
  uniform,        // UIADD3 ULOP3 UIMAD USHF UMOV ... on the uniform datapath
  uniform_ldc,    // ULDC
  uniform_mem,    // R2UR VOTEU: from the vector to the uniform side
  hmma,           // HMMA by shape: see TensorShape
  imma,           // IMMA BMMA
  dmma,           // DMMA
  gmma,           // HGMMA QGMMA IGMMA
  branch,         // BRA BRX JMP JMX CALL RET EXIT
  convergence,    // BSSY BSYNC BREAK WARPSYNC BMOV YIELD NANOSLEEP
  barrier,        // BAR
  membar,         // MEMBAR ERRBAR CCTL FENCE
  load_const,     // LDC
  load,           // LDG LD LDL (space tells which)
  store,          // STG ST STL
  load_shared,    // LDS LDSM
  store_shared,   // STS STSM
  atomic,         // ATOM ATOMG (returns a value)
  reduction,      // RED
  atomic_shared,  // ATOMS
  async_copy,     // LDGSTS UBLKCP UTMALDG ...
  async_wait,     // LDGDEPBAR ARRIVES SYNCS
  texture,        // TEX TLD SULD SUST ...
  nop,            // NOP
  depbar,         // DEPBAR
  count_
};
std::string_view op_class_name(OpClass);

enum class Space : std::uint8_t { none, global, local, shared, constant, generic, texture };

/// Fixed-latency instructions are scheduled by stall counts; variable-latency instructions use a dependence counter.
enum class Latency : std::uint8_t { fixed, variable };

enum class ControlFlow : std::uint8_t { none, branch, indirect, call, ret, exit, sync };

struct RegisterUse {
  std::uint8_t first = kRZ;  ///< number of the first register
  std::uint8_t count = 1;    ///< number of consecutive registers
  std::uint8_t slot = 0;     ///< operand slot a, b or c = 0, 1 or 2 (reuse cache); 0 for destinations
  bool uniform = false;
  bool reuse = false;
};

struct ConstantUse {
  std::uint8_t bank = 0;
  std::uint32_t offset = 0;
  bool indexed = false;  ///< the address is in a register and known only at run time
};

/// What the timing model and the trace doctor (sim/trace/doctor.h) use of an instruction; computed once per PC.
struct Decoded {
  OpClass op = OpClass::nop;
  Latency latency = Latency::fixed;
  Space space = Space::none;
  ControlFlow flow = ControlFlow::none;
  std::uint8_t access_bytes = 0;  ///< bytes per lane of a memory operation
  bool writes_memory = false;
  std::uint8_t matrices = 0;       ///< LDSM: number of 8x8 matrices
  bool narrow_texels = false;      ///< textures: at most 8 bytes for each lane, and no filter
  bool by_lines = false;           ///< textures: texels are accessed line by line, as surfaces are
  bool system_scope = false;       ///< STRONG.SYS, as volatile accesses are
  std::uint8_t descriptor = kURZ;  ///< the first of the uniform registers that describe the memory; kURZ: none
  bool evicts_first = false;       ///< its lines are to leave the L2 first; see eviction.h
  bool bypasses_l1 = false;        ///< coherent beyond the SM (.STRONG.GPU, .STRONG.SYS, ...), or LDGSTS.BYPASS
  std::uint16_t tensor_m = 0, tensor_n = 0, tensor_k = 0;
  bool tensor_accumulates_f32 = false, tensor_sparse = false;
  std::uint8_t tensor_element_bits = 16;
  std::vector<RegisterUse> reads, writes;        ///< without RZ and URZ
  std::uint8_t pred_reads = 0, pred_writes = 0;  ///< one bit per predicate, with the guard and without PT
  std::uint8_t upred_reads = 0, upred_writes = 0;
  std::vector<ConstantUse> constants;  ///< c[bank][offset] operands of arithmetic instructions
  bool floating = false;               ///< an atomic or reduction on floating-point numbers
  bool compares = false;               ///< a compare-and-swap, which has two data operands
  bool spins = false;         ///< ATOMS.CAST.SPIN: at most one lane of each bank swaps, code around it tries again
  bool reads_clock = false;   ///< CS2R, S2R or S2UR of a clock or timer
  bool reads_thread = false;  ///< S2R or S2UR of a thread's or a lane's index
};

/// One row of the table.
struct OpcodeRow {
  std::string_view mnemonic;
  OpClass op;
  Latency latency;
  Space space;
  ControlFlow flow;
  std::string_view roles;  ///< operand roles in printed order; the legend is in opcode_table.cpp
  std::string_view meaning;
};

std::span<const OpcodeRow> opcode_table();
/// The rows in which 64-bit instruction sets differ.
std::span<const OpcodeRow> opcode_table_64();
/// nullptr if the tables do not have the mnemonic. A 64-bit instruction set has its own rows and those of the others.
const OpcodeRow* find_opcode(std::string_view mnemonic, InstructionSet = InstructionSet::sass128);
/// Throws NotSupported with opcode and PC for an unknown mnemonic, and for an architecture that the table
/// (architecture.h) lacks.
Decoded decode(const Instruction&, int sm);

}  // namespace sassim::isa
