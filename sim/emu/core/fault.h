// SPDX-License-Identifier: Apache-2.0
// Errors of a kernel and where they happened; the CUDA runtime reports them as sticky CUDA errors.
#pragma once

#include <cstdint>
#include <string>

#include "sim/base/error.h"
#include "sim/base/types.h"

namespace sassim::emu {

enum class FaultKind : std::uint8_t {
  illegal_address,       ///< out of bounds of every allocation        cudaErrorIllegalAddress
  misaligned_address,    ///< not a multiple of the access size        cudaErrorMisalignedAddress
  shared_out_of_bounds,  ///< beyond the block's shared memory         cudaErrorIllegalAddress
  stack_overflow,        ///< local memory beyond the thread's stack   cudaErrorHardwareStackError / IllegalAddress
  illegal_instruction,   ///< bad encoding or operand                  cudaErrorIllegalInstruction
  invalid_pc,            ///< jump outside the code                    cudaErrorInvalidPc
  trap,                  ///< BPT.TRAP                                 cudaErrorLaunchFailure
  assertion,             ///< assert()                                 cudaErrorAssert
};
const char* fault_name(FaultKind);

/// Where a fault happened.
struct FaultSite {
  std::string kernel;
  std::uint32_t pc = 0;
  std::string line;  ///< the SASS text
  Dim3 block{0, 0, 0}, thread{0, 0, 0};
  std::uint64_t address = 0;
  std::string place;  ///< the address in words; empty: its number
};

/// "PC 0x90 ('LDG.E.SYS R4, [R2]'), block (0,0,0), thread (32,0,0), address 0x20000000080"
std::string to_string(const FaultSite&);

class DeviceFault : public Error {
 public:
  DeviceFault(FaultKind kind, FaultSite site, const std::string& detail);
  FaultKind kind() const { return kind_; }
  const FaultSite& site() const { return site_; }

 private:
  FaultKind kind_;
  FaultSite site_;
};

}  // namespace sassim::emu
