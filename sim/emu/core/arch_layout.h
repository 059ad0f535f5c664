// SPDX-License-Identifier: Apache-2.0
// Where the driver puts values in constant bank 0, read off the code that CUDA 11.8 compiles for each architecture.
#pragma once

#include <cstdint>

namespace sassim::emu {

struct ArchLayout {
  int sm;  ///< the first architecture with this layout
  std::uint32_t param_base;
  std::uint32_t shared_window;  ///< 64-bit base of generic addresses of shared memory; sm_90 reads SR_SWINLO/HI instead
  std::uint32_t local_window;   ///< 64-bit base of generic addresses of local memory
  std::uint32_t stack;          ///< initial stack pointer: stacks grow down to 0
  std::uint32_t workspace_low, workspace_high;  ///< cooperative launches: the grid barrier's memory
  std::uint32_t user_constants;                 ///< 64-bit generic address of constant bank 3
  std::uint32_t parameters;  ///< 64-bit generic address of a copy of this bank that starts at `parameters_begin`
  std::uint32_t parameters_begin;
};

// Offsets of the values of PTX special registers, the same on all architectures.
inline constexpr std::uint32_t kDynamicShared = 0x2c;  ///< %dynamic_smem_size
inline constexpr std::uint32_t kGridId = 0x30;         ///< %gridid, 64 bits
inline constexpr std::uint32_t kSmCount = 0x10c;       ///< %nsmid
inline constexpr std::uint32_t kSystemShared = 0x114;  ///< bytes that SR_SMEMSZ counts and %total_smem_size does not

/// Memory of the grid barrier of a cooperative launch; the word at offset 4 counts the blocks that have arrived.
inline constexpr std::uint32_t kGridWorkspaceBytes = 64;

inline const ArchLayout& arch_layout(int sm) {
  static constexpr ArchLayout kLayouts[] = {
      {70, 0x160, 0x18, 0x20, 0x28, 0x90, 0x8c, 0x50, 0x40, 0},
      {90, 0x210, 0x18, 0x20, 0x28, 0x48, 0x44, 0xd0, 0x198, 0x210},
  };
  return sm >= 90 ? kLayouts[1] : kLayouts[0];
}

}  // namespace sassim::emu
