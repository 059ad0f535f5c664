// SPDX-License-Identifier: Apache-2.0
// Where things lie in the 49-bit virtual address space that kernels see. Fixed, so that every run has the same
// addresses; chosen below the host's mappings, so that host pointers (pinned and managed memory) can be device pointers
// too.
#pragma once

#include <cstdint>

namespace sassim::emu {

/// cudaMalloc and module globals come from here, upwards.
inline constexpr std::uint64_t kHeapBase = 0x0000'0200'0000'0000;
inline constexpr std::uint64_t kHeapEnd = 0x0000'0300'0000'0000;
/// Unused bytes after each allocation of more than 1 MiB, so that running off its end does not reach the next one.
inline constexpr std::uint64_t kGuardBytes = 0x200;
/// Instructions: function addresses that CALL.ABS and function pointers hold.
inline constexpr std::uint64_t kCodeBase = 0x0000'0300'0000'0000;
/// Constant banks, as the constant caches see them.
inline constexpr std::uint64_t kConstantBase = 0x0000'0310'0000'0000;
/// Generic addresses in these windows mean shared and local memory (c[0x0][0x18] and c[0x0][0x20], SR_SWINLO).
inline constexpr std::uint64_t kSharedWindow = 0x0000'0320'0000'0000;
inline constexpr std::uint64_t kLocalWindow = 0x0000'0320'0100'0000;
inline constexpr std::uint64_t kWindowBytes = 0x0100'0000;

}  // namespace sassim::emu
