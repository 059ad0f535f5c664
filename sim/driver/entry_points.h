// SPDX-License-Identifier: Apache-2.0
// How programs and libraries find functions of the driver without linking to them.
#pragma once

#include <cstdint>

#include "sim/cuda/abi.h"

namespace sassim::cuda {

/// CUdriverProcAddressQueryResult
enum EntryStatus : int { kEntryFound = 0, kEntryUnknown = 1, kEntryTooNew = 2 };

/// Flags of cuGetProcAddress.
inline constexpr std::uint64_t kWithoutThreads = 1, kStreamPerThread = 2;

/// The function that `name` meant in a version of CUDA (11080 for 11.8): the newest one that is not newer than that.
/// nullptr: none.
void* find_entry(const char* name, int version, std::uint64_t flags, EntryStatus& status);

/// A table of functions of the driver that have no names. Only those that libraries need are there, with the slots
/// whose meaning was observed. NVIDIA's own runtimes ask for others, to check that the driver is NVIDIA's: they are
/// refused.
/// `of_library`: a library asks through the runtime.
Result export_table(const void** table, const void* id, bool of_library = false);

}  // namespace sassim::cuda
