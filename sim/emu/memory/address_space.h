// SPDX-License-Identifier: Apache-2.0
// The fixed layout of the 49-bit virtual address space of the simulated GPU: every run has the same addresses. Device
// memory lies below the addresses that the host maps, so that host pointers can be used as device pointers too.
#pragma once

#include <cstdint>

namespace sassim::emu {

/// Start of device memory: cudaMalloc and module globals take rising addresses from here.
inline constexpr std::uint64_t kHeapBase = 0x0000'0200'0000'0000;
inline constexpr std::uint64_t kHeapEnd = 0x0000'0300'0000'0000;
/// Descriptors of Kepler's surfaces: below 2^40, because code takes that many bits of the object that points to one.
inline constexpr std::uint64_t kSurfaceDescriptors = 0x0000'00f0'0000'0000;
/// Memory of further devices: each has a span of its own, device 1 the first one.
inline constexpr std::uint64_t kPeerBase = 0x0000'1000'0000'0000;
inline constexpr std::uint64_t kDeviceSpan = kHeapEnd - kHeapBase;
inline constexpr unsigned kMostDevices = 16;
/// Where the memory of a device begins.
constexpr std::uint64_t heap_base(unsigned device) {
  return device == 0 ? kHeapBase : kPeerBase + (device - 1) * kDeviceSpan;
}
/// The device in whose memory an address lies; kMostDevices: in that of none.
constexpr unsigned device_of(std::uint64_t address) {
  if (address >= kHeapBase && address < kHeapEnd) return 0;
  if (address < kPeerBase || address >= heap_base(kMostDevices)) return kMostDevices;
  return static_cast<unsigned>((address - kPeerBase) / kDeviceSpan) + 1;
}
/// Unused bytes after each allocation of more than 1 MiB, so that running off its end does not reach the next one.
inline constexpr std::uint64_t kGuardBytes = 0x200;
/// Start of code: function addresses that CALL.ABS and function pointers hold.
inline constexpr std::uint64_t kCodeBase = 0x0000'0300'0000'0000;
/// Start of the constant banks, as the constant caches address them.
inline constexpr std::uint64_t kConstantBase = 0x0000'0310'0000'0000;
/// Generic addresses of shared and local memory: where each begins, and how many each has. The launch's constant bank
/// tells it to the code.
struct Windows {
  std::uint64_t shared, local, bytes;
};
/// Of shared memory: 16 MiB for each of the 256 ranks that a block can have in its cluster.
inline constexpr Windows kWindows{0x0000'0320'0000'0000, 0x0000'0321'0000'0000, 0x1'0000'0000};
/// For code that computes these addresses in 32 bits (isa::Architecture::low_windows), and joins base and offset by OR.
inline constexpr Windows kLowWindows{0x0100'0000, 0x0200'0000, 0x0100'0000};

/// Host memory whose place in the host's address space differs from run to run (host_pieces.h): above every address
/// that a program of the host can have.
inline constexpr std::uint64_t kHostBase = 0x0000'8000'0000'0000;
/// Pinned and managed memory, at the same addresses in the host and on the simulated GPU. Programs of the host lie
/// above.
inline constexpr std::uint64_t kPinnedBase = 0x0000'5500'0000'0000;

}  // namespace sassim::emu
