// SPDX-License-Identifier: Apache-2.0
// Describes an address for the messages of faults: which allocation or piece of host memory it lies in or near.
#include "sim/emu/core/address_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "sim/base/host_maps.h"
#include "sim/emu/memory/address_space.h"

namespace sassim::emu {
namespace {

/// As far from a piece of host memory as this, an address belongs to it: the distance to other memory of the host may
/// differ from run to run.
constexpr std::uint64_t kNear = 4096;
/// Above pinned memory the host's system places programs, and below what it can address everything else.
constexpr std::uint64_t kPlacedBySystem = 0x0000'5540'0000'0000;

/// What is at an address that the host's system chose; empty for other addresses.
std::optional<std::string> place_in_host(std::uint64_t address) {
  constexpr std::uint64_t kLeast = 1u << 20;
  const bool may_be_low = address >= kLeast && address < kHeapBase;
  if (!may_be_low && (address < kPlacedBySystem || address >= kHostBase)) return std::nullopt;
  for (const HostMap& map : host_maps()) {
    if (address < map.begin || address >= map.end) continue;
    if (map.stack) return "an address of the host (in its stack)";
    if (map.heap) return "an address of the host (in its heap)";
    return "an address of the host";
  }
  if (may_be_low) return std::nullopt;
  return "an address of the host (nothing is there)";
}

std::string name_in(const HostPieces::Piece& piece, std::uint64_t address) {
  const bool by_host = address - piece.host < piece.bytes + kNear || piece.host - address <= kNear;
  const std::uint64_t offset = address - (by_host ? piece.host : piece.address);
  if (offset < piece.bytes) return fmt::format("byte {:#x} of host memory {}", offset, piece.number);
  if (offset < piece.bytes + kNear)
    return fmt::format("{} bytes behind host memory {}", offset - piece.bytes, piece.number);
  return fmt::format("{} bytes before host memory {}", -offset, piece.number);
}

}  // namespace

std::string address_name(const DeviceMemory& memory, std::uint64_t address) {
  if (const HostPieces::Piece* piece = memory.host_pieces().near(address, kNear)) return name_in(*piece, address);
  if (const auto place = place_in_host(address)) return *place;
  return fmt::format("{:#x}", address);
}

std::string surroundings_text(const DeviceMemory& memory, std::uint64_t address) {
  if (const HostPieces::Piece* piece = memory.host_pieces().near(address, kNear))
    return fmt::format("host memory {} has {} bytes (pieces are numbered in the order of their registration)",
                       piece->number, piece->bytes);
  if (place_in_host(address))
    return "kernels can access memory of the host only where it is pinned, managed or registered";
  const Allocation* near = memory.nearest(std::min(address, kHostBase - 1));
  if (!near) return "no allocation is at or below this address";
  return fmt::format("the nearest allocation below is [{:#x}, {:#x}), {} bytes", near->address,
                     near->address + near->bytes, near->bytes);
}

std::string distance_text(const DeviceMemory& memory, std::uint64_t address) {
  const Allocation *below = memory.nearest(address), *above = memory.next(address);
  const std::uint64_t end = below ? below->address + below->bytes : 0;
  if (above && (!below || above->address - address <= address - end))
    return fmt::format("{} bytes before the allocation [{:#x}, {:#x})", above->address - address, above->address,
                       above->address + above->bytes);
  return fmt::format("{} bytes behind the allocation [{:#x}, {:#x})", address - std::min(end, address), below->address,
                     end);
}

}  // namespace sassim::emu
