// SPDX-License-Identifier: Apache-2.0
// Micro-operations: instructions of a kernel prepared for the emulator. The operands are resolved once per PC, and a
// function does the work.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/isa/control.h"
#include "sim/isa/instruction.h"
#include "sim/isa/opcode.h"

namespace sassim::emu {

struct Context;
struct MicroOp;
/// `mask`: the active lanes whose guard is true; it may be 0 only for a micro-op with `always`.
using Execute = void (*)(Context&, const MicroOp&, std::uint32_t mask);

enum class SourceKind : std::uint8_t { zero, reg, ureg, imm, constant, bindless };

/// Where an operand's value comes from, and the modifiers that apply to it.
struct Source {
  SourceKind kind = SourceKind::zero;
  std::uint8_t index = isa::kRZ;  ///< register
  std::uint8_t bank = 0;          ///< constant; bindless: the uniform register that holds the base
  bool negate = false;
  bool absolute = false;
  bool invert = false;
  std::uint8_t part = 0;         ///< which halves or bytes; each instruction family defines the values
  std::uint32_t offset = 0;      ///< constant
  std::uint64_t value = 0;       ///< imm
  std::uint8_t base = isa::kRZ;  ///< constant: indexed by this register
  bool uniform_base = false;     ///< constant: `base` is a uniform register
  bool plain() const { return !negate && !absolute && !invert; }
};

struct PredicateSource {
  std::uint8_t index = isa::kPT;
  bool negate = false;
  bool uniform = false;
};

/// [base * scale + ubase + offset]
struct AddressSource {
  std::uint8_t base = isa::kRZ;
  bool base_wide = false;
  std::uint8_t scale = 1;
  std::uint8_t ubase = isa::kURZ;
  bool ubase_wide = false;
  std::int64_t offset = 0;
};

struct MicroOp {
  Execute execute = nullptr;
  Execute inner = nullptr;  ///< the function that execute() calls
  PredicateSource guard;
  bool always = false;      ///< executes even if no lane's guard is true
  bool memory = false;      ///< its trace step has addresses
  bool contends = false;    ///< an atomic operation that can fail because of other warps
  bool waits = false;       ///< waits for arrivals at a barrier in shared memory, or is one that comes later
  bool loads = false;       ///< a load from memory that this launch may write
  bool stores = false;      ///< a store or a reduction to global memory
  bool reduces = false;     ///< an atomic operation on global memory whose result nobody gets
  bool ordered = false;     ///< of these, one whose result depends on which comes first
  bool sets_codes = false;  ///< also writes the condition codes CC
  bool masked = false;      ///< its trace step has the mask of true guards, as a memory instruction's step does
  std::uint8_t dst = isa::kRZ, dst2 = isa::kRZ;
  std::uint8_t pdst = isa::kPT, pdst2 = isa::kPT;
  std::uint8_t size = 4;   ///< bytes per lane
  std::uint8_t space = 0;  ///< isa::Space
  std::uint8_t mode = 0;   ///< comparison, rounding, shift kind...; each instruction family defines the values
  std::uint8_t mode2 = 0;
  std::uint32_t flags = 0;    ///< each instruction family defines the bits
  std::uint32_t target = 0;   ///< index of a branch target
  std::int64_t relative = 0;  ///< indirect branches: added to the register
  Source src[4];
  PredicateSource psrc[3];
  AddressSource address;
  std::uint32_t index = 0;  ///< index in the kernel's code
};

/// A kernel's code, ready to run. Unsupported instructions hold a micro-op that throws when it is reached.
struct Program {
  std::vector<MicroOp> ops;
  std::vector<std::string> unsupported;  ///< by index: why an instruction is unsupported, or empty
  std::uint32_t registers = 1;           ///< registers per thread that the code uses
  bool order_matters = false;            ///< order_matters() of emulator.h
  bool block_order_matters = false;   ///< the same, of blocks: an operation on their own shared memory does not count
  bool waits_in_loops = false;        ///< waits_in_loops() of emulator.h
  bool may_share = false;             ///< loads from memory that other blocks may write: sharing_watch.h
  bool points_to_parameters = false;  ///< takes the address of its parameters
  bool reads_grid_id = false;         ///< the number of the launch

  /// What earlier launches showed about running their blocks at the same time. It changes no result.
  struct Apart {
    std::atomic<bool> failed = false, by_sectors = false;
    std::atomic<std::uint64_t> instructions_per_block = 0;  ///< 0: not known
  };
  mutable Apart apart;
};

std::shared_ptr<const Program> decode_program(const std::vector<isa::Instruction>& code, int sm);

}  // namespace sassim::emu
