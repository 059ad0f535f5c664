// SPDX-License-Identifier: Apache-2.0
// Reads a cubin (the ELF file that ptxas writes): code, resources, parameters, constants and symbols of its kernels.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/isa/instruction.h"
#include "sim/isa/relocation_type.h"

namespace sassim::isa {

struct CubinRelocation {
  std::uint64_t offset = 0;  ///< within its section
  std::uint32_t type = 0;    ///< a RelocationType or an unknown number
  std::uint32_t symbol = 0;  ///< index into Cubin::symbols
  std::int64_t addend = 0;   ///< zero in sections named .rel..., whose addend is in the relocated bytes
};

struct CubinSymbol {
  enum class Kind : std::uint8_t { none, object, function, section };
  std::string name;
  Kind kind = Kind::none;
  std::uint32_t section = 0;  ///< index into Cubin::sections; 0: undefined symbol
  std::uint64_t value = 0;    ///< offset within the section
  std::uint64_t size = 0;
};

struct CubinSection {
  std::string name;
  std::vector<std::uint8_t> bytes;  ///< empty if the section holds only zeros
  std::uint64_t size = 0;           ///< size in memory
  std::uint64_t alignment = 1;
  std::vector<CubinRelocation> relocations;
};

struct KernelParameter {
  std::uint32_t ordinal = 0;
  std::uint32_t offset = 0;  ///< from the start of the parameters
  std::uint32_t size = 0;
};

/// A constant bank. Banks 0 and 2 belong to a kernel; bank 3 (__constant__ variables) and bank 4 (addresses) to the
/// module.
struct CubinBank {
  std::uint8_t bank = 0;
  std::uint32_t section = 0;  ///< index into Cubin::sections: contents and relocations
};

struct CubinKernel {
  std::string name;
  bool entry = false;               ///< true: a __global__ function; false: a device function with its own section
  std::uint32_t section = 0;        ///< index of the section with the code
  std::uint32_t registers = 0;      ///< per thread
  std::uint32_t barriers = 0;       ///< named barriers of a block
  std::uint32_t static_shared = 0;  ///< bytes per block that the program declares
  std::uint32_t frame_bytes = 0;    ///< stack frame of this function
  std::uint32_t stack_bytes = 0;    ///< least local memory per thread, with the functions that it calls
  bool stack_unbounded = false;     ///< recursion or calls through pointers: the launch sets the stack size
  std::uint32_t max_threads = 0;    ///< of __launch_bounds__; 0: not declared
  std::array<std::uint32_t, 3> cluster{};  ///< of __cluster_dims__; 0: not declared
  std::uint32_t parameter_base = 0;        ///< offset in constant bank 0
  std::uint32_t parameter_bytes = 0;
  std::vector<KernelParameter> parameters;  ///< by ordinal
  std::vector<CubinBank> banks;             ///< the kernel's own banks and the module's
};

struct Cubin {
  int sm = 0;
  std::vector<CubinSection> sections;
  std::vector<CubinSymbol> symbols;
  std::vector<CubinKernel> kernels;  ///< in the order of the file
  std::uint32_t global_init = 0;     ///< section of initialised __device__ variables; 0: none
  std::uint32_t global_zero = 0;     ///< section of zero-initialised __device__ variables; 0: none

  const CubinKernel* find(std::string_view kernel) const;
  const CubinSymbol* find_symbol(std::string_view name) const;
  std::span<const std::uint8_t> code(const CubinKernel& kernel) const { return sections[kernel.section].bytes; }
};

/// Throws InputError that names `file` and the section if the cubin is damaged, and NotSupported for architectures that
/// the table (architecture.h) lacks.
Cubin read_cubin(std::span<const std::uint8_t> bytes, std::string_view file);

/// Sets a relocated value in an instruction's encoding and operand. `address`: the symbol's address plus the addend.
/// Returns false if `type` does not apply to instructions.
bool relocate(Instruction&, std::uint32_t type, std::uint64_t address);
/// The same for data: writes 4 or 8 bytes at the relocation's offset. Returns false if the type does not apply to data.
bool relocate(std::span<std::uint8_t> section, const CubinRelocation&, std::uint64_t address);

}  // namespace sassim::isa
