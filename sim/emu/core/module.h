// SPDX-License-Identifier: Apache-2.0
// A loaded cubin: its decoded kernels, its variables in device memory and its constant banks.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/base/types.h"
#include "sim/emu/memory/device_memory.h"
#include "sim/isa/architecture.h"
#include "sim/isa/instruction.h"
#include "sim/isa/line_table.h"

namespace sassim::emu {

struct Program;  // internal: the micro-ops

/// A constant bank that lies in device memory.
struct ConstantRange {
  std::uint64_t address = 0, bytes = 0;
};

/// The code of one function inside a kernel's code: its code addresses start at `address`, its instructions at index
/// `offset`.
struct CodeRegion {
  std::uint64_t address = 0;
  std::uint32_t offset = 0, bytes = 0;
};

/// One entry function. It can be shared by threads and used while its Module lives.
struct Kernel {
  std::string name;
  int sm = 70;                      ///< of the table of architectures
  std::uint32_t registers = 0;      ///< per thread
  std::uint32_t static_shared = 0;  ///< bytes per block
  std::uint32_t local_bytes = 0;    ///< stack frame that the compiler declares, per thread
  std::uint32_t barriers = 0;
  std::uint32_t param_bytes = 0;
  std::uint32_t param_base = 0;   ///< offset of the parameters in constant bank 0
  std::uint32_t max_threads = 0;  ///< of __launch_bounds__; 0: not declared
  Dim3 cluster{0, 0, 0};          ///< of __cluster_dims__; no blocks: not declared
  bool uses_heap = false;         ///< it, or a function that it may call, calls malloc or free
  std::vector<std::uint32_t> param_offsets, param_sizes;
  std::uint64_t code_address = 0;
  std::vector<isa::Instruction> code;  ///< relocated; functions that it may call come behind it
  std::map<std::uint8_t, std::vector<std::uint8_t>> constants;  ///< banks other than 0 that belong to this kernel
  std::vector<CodeRegion> regions;                              ///< the first region is the kernel itself
  isa::LineTable source;  ///< by instruction of `code`; empty where the program has no line information
  std::shared_ptr<const Program> program;
  std::vector<std::pair<std::uint32_t, std::string>>
      texture_slots;  ///< offset in constant bank 0 for the object of each texture reference
  std::map<std::uint8_t, ConstantRange> device_constants;  ///< banks that are read when a launch begins

  const isa::Architecture& architecture() const { return isa::architecture(sm); }
  isa::CodeLayout layout() const { return architecture().code; }
  std::uint64_t code_bytes() const { return layout().bytes(code.size()); }
};

/// A __device__ or __constant__ variable.
struct Variable {
  std::string name;
  std::uint64_t address = 0;  ///< in device memory, also for __constant__; a write there is seen by the next launch
  std::uint64_t bytes = 0;
  bool constant = false;
};

class Module {
 public:
  /// Loads the variables into `memory`, which must outlive the module. `disassembly`: the output of nvdisasm -hex or
  /// cuobjdump -sass for this cubin; if empty, the toolkit's disassembler is run. Throws InputError.
  Module(std::span<const std::uint8_t> cubin, DeviceMemory& memory, const std::string& name = "cubin",
         const std::string& disassembly = {});
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  int sm() const { return sm_; }
  /// Throws InputError that lists the kernels of the module.
  const Kernel& kernel(const std::string& name) const;
  /// nullptr when there is none.
  const Kernel* find_kernel(const std::string& name) const;
  const Variable* find_variable(const std::string& name) const;
  std::vector<std::string> kernel_names() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  int sm_ = 0;
};

/// A kernel from hand-written or disassembled code, for tests and built-in workloads.
std::unique_ptr<Kernel> make_kernel(std::string name, int sm, std::vector<isa::Instruction> code,
                                    std::uint32_t param_bytes);

}  // namespace sassim::emu
