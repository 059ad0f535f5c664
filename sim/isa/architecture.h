// SPDX-License-Identifier: Apache-2.0
// The table of architectures: one row per compute capability, with what instruction sets, launches and shared memory of
// GPUs differ in. A column has the name of what it means: code asks for the column, never for an architecture's number.
// To add an architecture, add its row in architecture.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sim/isa/code_layout.h"
#include "sim/isa/relocation_type.h"

namespace sassim::isa {

/// The two families of instruction sets, which share mnemonics but not their meaning.
enum class InstructionSet : std::uint8_t {
  sass64,   ///< 64-bit instructions behind control words; carries are in CC, a stack holds threads that have diverged
  sass128,  ///< 128-bit instructions with control bits; carries are predicates, threads meet at convergence barriers
};

/// How a branch holds its target.
enum class BranchTarget : std::uint8_t {
  bytes,  ///< a signed 50-bit number of bytes from bit 32 on
  words,  ///< a number of words of 4 bytes; its lowest 8 bits are in bits 16 to 23, except in BSSY
  near,   ///< a signed 24-bit number of bytes from bit 20 on
};

/// The format of the 64-bit word of a barrier in shared memory (PTX mbarrier).
enum class BarrierWord : std::uint8_t {
  none,
  halves,  ///< one count in each half
  fields,  ///< with a field for the bytes of copies between the counts
};

/// How the disassembler prints an access to global memory whose address is in registers 2 and 3.
enum class GlobalAddress : std::uint8_t {
  extended,   ///< LDG.E.SYS R0, [R2]
  wide,       ///< LDG.E R0, [R2.64]
  described,  ///< LDG.E R0, desc[UR4][R2.64]
};

/// Offsets in constant bank 0, where a launch puts its values.
struct LaunchBank {
  std::uint32_t parameters;
  std::uint32_t sizes;                          ///< the block's three dimensions, then the grid's
  std::uint32_t shared_window, shared_high;     ///< base of generic addresses of shared memory: its two words
  std::uint32_t local_window, local_high;       ///< base of generic addresses of local memory: its two words
  std::uint32_t stack;                          ///< initial stack pointer: stacks grow down to 0
  std::uint32_t dynamic_shared;                 ///< %dynamic_smem_size
  std::uint32_t grid_id;                        ///< %gridid, 64 bits
  std::uint32_t workspace_low, workspace_high;  ///< cooperative launches: the grid barrier's memory
  std::uint32_t user_constants;                 ///< 64-bit generic address of constant bank 3
  std::uint32_t copy;  ///< 64-bit generic address of a copy of this bank from `copy_begins` on; 0: code reads none
  std::uint32_t copy_begins;
  std::uint32_t global_descriptor;  ///< 64-bit descriptor of global memory; 0: code reads none
};

/// How tensor cores add products to an accumulator (sim/emu/exec/tensor_math.h).
struct TensorRules {
  int group;       ///< products that are added at once; a longer sum is added group by group
  int extra_bits;  ///< bits that are kept below the 24 bits of single precision
};

struct Architecture {
  int sm = 0;  ///< compute capability 7.5 is 75
  /// Single-precision operations per double-precision operation, as the CUDA runtime reports it.
  int single_to_double = 32;

  InstructionSet set;
  CodeLayout code;
  BranchTarget branch_target;
  RelocationType call;  ///< relocates the target of CALL.ABS
  /// Dependence counters guard double precision and matrix instructions; otherwise stall counts do, but for DMMA.
  bool counts_fp64_and_matrices;
  bool counts_r2ur;  ///< the same for R2UR
  /// Accesses to global memory name a descriptor in uniform registers.
  bool descriptors;
  GlobalAddress global_address;

  LaunchBank bank;
  bool low_windows;  ///< generic addresses of shared and local memory have 32 bits: the code clears the others
  /// Bytes at the start of a block's shared memory that belong to the system. Shared addresses and the sections of
  /// cubins include them.
  std::uint32_t system_shared;
  bool clusters;  ///< blocks of a launch may form clusters
  BarrierWord barrier_word;
  TensorRules tensor;
  /// 64 bytes of an image hold 16 bytes of each of four rows; otherwise of two.
  bool tall_texel_pairs;
  /// A surface object is the address of a descriptor, from which code computes the addresses of its accesses.
  bool surface_descriptors;
};

/// All rows, in the order of their numbers.
std::span<const Architecture> architectures();
/// nullptr if the table has no such row.
const Architecture* find_architecture(int sm);
/// The same; throws NotSupported, whose message begins with `place`, for an unknown architecture.
const Architecture& architecture(int sm, std::string_view place = {});
/// The architecture of SASS that does not say it: its code is laid out as on most architectures.
const Architecture& assumed_architecture();

/// "architecture sm_60 is not supported; the nearest is sm_70 (known: sm_70, sm_72, ...)"
std::string unknown_architecture(std::int64_t sm);
/// "sm_70, sm_72, ..."
std::string known_architectures();

}  // namespace sassim::isa
