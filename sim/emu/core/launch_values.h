// SPDX-License-Identifier: Apache-2.0
// Offsets in constant bank 0 that are the same on all architectures, read off the code that CUDA 11.8 compiles; the
// others are in the table of architectures (isa::LaunchBank).
#pragma once

#include <cstdint>

namespace sassim::emu {

inline constexpr std::uint32_t kSmCount = 0x10c;       ///< %nsmid
inline constexpr std::uint32_t kSystemShared = 0x114;  ///< bytes that SR_SMEMSZ counts and %total_smem_size does not

/// Memory of the grid barrier of a cooperative launch; the word at offset 4 counts the blocks that have arrived.
inline constexpr std::uint32_t kGridWorkspaceBytes = 64;

}  // namespace sassim::emu
