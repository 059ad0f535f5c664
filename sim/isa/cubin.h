// SPDX-License-Identifier: Apache-2.0
// What a cubin (the ELF file that ptxas writes) says of its kernels: code, resources, parameters, constants, symbols.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/isa/instruction.h"

namespace sassim::isa {

/// The relocation types that compute code for sm_70 to sm_90 uses (numbered as nvlink names them).
enum class RelocationType : std::uint32_t {
  none = 0,
  word32 = 1,                    ///< R_CUDA_32
  word64 = 2,                    ///< R_CUDA_64
  generic32 = 3,                 ///< R_CUDA_G32: a generic address
  generic64 = 4,                 ///< R_CUDA_G64
  texture_object = 6,            ///< R_CUDA_TEX_HEADER_INDEX: the object of a texture reference
  function_word32 = 34,          ///< R_CUDA_FUNC_DESC_32
  function_word64 = 35,          ///< R_CUDA_FUNC_DESC_64
  immediate = 55,                ///< R_CUDA_ABS32_32: bits 63:32 of an instruction
  immediate_low = 56,            ///< R_CUDA_ABS32_LO_32: the low half of an address there
  immediate_high = 57,           ///< R_CUDA_ABS32_HI_32: the high half
  call = 58,                     ///< R_CUDA_ABS47_34: the target of a CALL.ABS (sm_70 to sm_86)
  function_immediate = 61,       ///< R_CUDA_FUNC_DESC32_32
  function_immediate_low = 62,   ///< R_CUDA_FUNC_DESC32_LO_32
  function_immediate_high = 63,  ///< R_CUDA_FUNC_DESC32_HI_32
  call_far = 75,                 ///< the same on sm_90
};

struct CubinRelocation {
  std::uint64_t offset = 0;  ///< within its section
  std::uint32_t type = 0;    ///< a RelocationType, or another number that nothing here knows
  std::uint32_t symbol = 0;  ///< index into Cubin::symbols
  std::int64_t addend = 0;   ///< zero where the addend is in the bytes themselves (sections named .rel...)
};

struct CubinSymbol {
  enum class Kind : std::uint8_t { none, object, function, section };
  std::string name;
  Kind kind = Kind::none;
  std::uint32_t section = 0;  ///< index into Cubin::sections; 0 when undefined
  std::uint64_t value = 0;    ///< offset within the section
  std::uint64_t size = 0;
};

struct CubinSection {
  std::string name;
  std::vector<std::uint8_t> bytes;  ///< empty when the section holds zeros only
  std::uint64_t size = 0;           ///< in memory
  std::uint64_t alignment = 1;
  std::vector<CubinRelocation> relocations;
};

struct KernelParameter {
  std::uint32_t ordinal = 0;
  std::uint32_t offset = 0;  ///< from the start of the parameters
  std::uint32_t size = 0;
};

/// Constant bank: bank 0 and 2 belong to a kernel, bank 3 (__constant__ variables) and 4 (addresses) to the module.
struct CubinBank {
  std::uint8_t bank = 0;
  std::uint32_t section = 0;  ///< index into Cubin::sections: the bytes, and the relocations to apply to them
};

/// From sm_90 on a block's shared addresses, and the sections of cubins, begin with a part that is the system's own.
constexpr std::uint32_t system_shared(int sm) { return sm >= 90 ? 1024 : 0; }

struct CubinKernel {
  std::string name;
  bool entry = false;                ///< a __global__ function; else a device function with a section of its own
  std::uint32_t section = 0;         ///< of the code
  std::uint32_t registers = 0;       ///< per thread
  std::uint32_t barriers = 0;        ///< named barriers of a block
  std::uint32_t static_shared = 0;   ///< bytes of a block that the program declares
  std::uint32_t frame_bytes = 0;     ///< this function's stack frame
  std::uint32_t stack_bytes = 0;     ///< local memory per thread: the least stack it needs, calls included
  bool stack_unbounded = false;      ///< recursion or calls through pointers: the launch decides the stack
  std::uint32_t max_threads = 0;     ///< __launch_bounds__, 0 when not given
  std::uint32_t parameter_base = 0;  ///< offset in constant bank 0
  std::uint32_t parameter_bytes = 0;
  std::vector<KernelParameter> parameters;  ///< by ordinal
  std::vector<CubinBank> banks;             ///< the kernel's own banks, and the module's
};

struct Cubin {
  int sm = 0;
  std::vector<CubinSection> sections;
  std::vector<CubinSymbol> symbols;
  std::vector<CubinKernel> kernels;  ///< in the file's order
  std::uint32_t global_init = 0;     ///< section of initialised __device__ variables, 0 when there is none
  std::uint32_t global_zero = 0;     ///< section of zeroed ones

  const CubinKernel* find(std::string_view kernel) const;
  const CubinSymbol* find_symbol(std::string_view name) const;
  std::span<const std::uint8_t> code(const CubinKernel& kernel) const { return sections[kernel.section].bytes; }
};

/// Throws InputError naming `file` and the section for anything that is not a whole cubin, NotSupported for an
/// architecture before sm_70 or after sm_90.
Cubin read_cubin(std::span<const std::uint8_t> bytes, std::string_view file);

/// Fills in what the linker left open in an instruction: the encoding and the operand. `address` is that of the symbol
/// plus the addend. Returns false when the type is not one of instructions.
bool relocate(Instruction&, std::uint32_t type, std::uint64_t address);
/// The same for data: writes 4 or 8 bytes at the relocation's offset. Returns false when the type is not one of data.
bool relocate(std::span<std::uint8_t> section, const CubinRelocation&, std::uint64_t address);

}  // namespace sassim::isa
