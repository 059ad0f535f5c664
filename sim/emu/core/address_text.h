// SPDX-License-Identifier: Apache-2.0
// Addresses in messages. A message is the same in every run: it has no address that the host's system chose.
#pragma once

#include <cstdint>
#include <string>

#include "sim/emu/memory/device_memory.h"

namespace sassim::emu {

/// "0x20000000080", "byte 0x10 of host memory 1", or "an address of the host (in its stack)".
std::string address_name(const DeviceMemory&, std::uint64_t address);
/// Why no kernel may access the address: what is near it.
std::string surroundings_text(const DeviceMemory&, std::uint64_t address);
/// The distance to the nearest allocation of device memory: "4 bytes before the allocation [0x20000000000,
/// 0x20000000080)".
std::string distance_text(const DeviceMemory&, std::uint64_t address);

}  // namespace sassim::emu
