// SPDX-License-Identifier: Apache-2.0
// The fixed layout of the 49-bit virtual address space that kernels see: every run has the same addresses. All of it
// lies below the addresses that the host maps, so that host pointers (pinned and managed memory) can be used as device
// pointers too.
#pragma once

#include <cstdint>

namespace sassim::emu {

/// Start of device memory: cudaMalloc and module globals take rising addresses from here.
inline constexpr std::uint64_t kHeapBase = 0x0000'0200'0000'0000;
inline constexpr std::uint64_t kHeapEnd = 0x0000'0300'0000'0000;
/// Unused bytes after each allocation of more than 1 MiB, so that running off its end does not reach the next one.
inline constexpr std::uint64_t kGuardBytes = 0x200;
/// Start of code: function addresses that CALL.ABS and function pointers hold.
inline constexpr std::uint64_t kCodeBase = 0x0000'0300'0000'0000;
/// Start of the constant banks, as the constant caches address them.
inline constexpr std::uint64_t kConstantBase = 0x0000'0310'0000'0000;
/// Start of shared memory in generic addresses (c[0x0][0x18], SR_SWINLO); local memory has a second window
/// (c[0x0][0x20]).
inline constexpr std::uint64_t kSharedWindow = 0x0000'0320'0000'0000;
inline constexpr std::uint64_t kLocalWindow = 0x0000'0320'0100'0000;
inline constexpr std::uint64_t kWindowBytes = 0x0100'0000;

}  // namespace sassim::emu
