// SPDX-License-Identifier: Apache-2.0
// From 32 addresses to the lines and sectors that one global or local memory instruction touches.
#pragma once

#include <array>
#include <cstdint>

#include "arch/sm/memory/bank_conflicts.h"
#include "arch/sm/memory/load_store_unit.h"
#include "arch/sm/memory/tag_bank.h"
#include "sim/config/gpu_config.h"

namespace sassim::arch {

struct LineAccess {
  std::uint64_t address = 0;    ///< address of the line
  std::uint8_t sectors = 0;     ///< touched
  std::uint8_t partial = 0;     ///< written (atomics in waves: changed), but not every byte of them
  std::uint8_t operations = 0;  ///< lanes (local accesses: 4-byte words)
  std::uint8_t serial = 0;      ///< atomics: the largest number of lanes on one address
  std::uint8_t pass = 0;        ///< of the tag stage
  std::uint8_t again = 0;       ///< LDGSTS past the L1: sectors whose halves go to different places, and are sent twice
  std::uint8_t places = 0;      ///< LDGSTS past the L1: sector-sized pieces of shared memory that receive its data
};

inline constexpr std::uint32_t kMaxL1Line = 256;
using ByteMask = std::array<std::uint64_t, kMaxL1Line / 64>;

struct LineAccesses {
  std::array<LineAccess, 4 * kWarpSize> lines;
  std::array<ByteMask, 4 * kWarpSize> bytes;  ///< touched bytes of each line: of stores and, on request, of loads
  std::uint8_t count = 0;
  std::uint8_t tag_passes = 0;
  std::uint16_t sector_count = 0;
  BankPasses data;  ///< passes of the data array if all of it hits

  template <class Archive>
  void state(Archive& archive) {
    archive(count, tag_passes, sector_count, data);
    for (std::size_t i = 0; i < std::min<std::size_t>(count, lines.size()); ++i) archive(lines[i], bytes[i]);
  }
};

/// Lines come in order of their pass, then of their first lane. In one pass the tag stage looks up l1.tags_per_cycle
/// lines, one per tag bank; lines of one bank take one pass each. With l1.atomic_waves the lanes of an atomic that meet
/// on a word are in different waves, and a line comes once for each of its waves.
class Coalescer {
 public:
  /// Throws InputError for a line that cannot be described by a request's eight sectors.
  Coalescer(const config::L1Config& l1, const config::SharedMemory& shared);
  /// `bytes` counts per lane. Local addresses are placed here. `which_bytes`: also for loads.
  void coalesce(const LsuOp& op, std::uint32_t bytes, LineAccesses& result, bool which_bytes = false) const;

 private:
  std::uint32_t add(std::uint64_t address, std::uint32_t bytes, LineAccesses& result) const;
  void add_waves(const LsuOp& op, std::uint32_t bytes, LineAccesses& result) const;
  void mark_bytes(const LsuOp& op, std::uint32_t bytes, LineAccesses& result) const;
  std::uint8_t unwritten(const LineAccess& line, const ByteMask& written) const;
  void place_copies(const LsuOp& op, LineAccesses& result) const;
  void count_operations(const LsuOp& op, LineAccesses& result) const;
  void assign_passes(LineAccesses& result) const;

  std::uint32_t line_, sector_, tags_;
  bool waves_;
  std::uint32_t line_shift_ = 0, sector_shift_ = 0;
  BankShape banks_;
  TagBanks tag_bank_;
};

/// Local memory of a warp is interleaved: the same 4-byte word of its 32 threads lies side by side.
/// `thread` counts over the whole GPU and `bytes_per_thread` is the kernel's.
std::uint64_t local_address(std::uint64_t offset, std::uint64_t thread, std::uint32_t bytes_per_thread);

}  // namespace sassim::arch
