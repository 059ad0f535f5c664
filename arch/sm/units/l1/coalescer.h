// SPDX-License-Identifier: Apache-2.0
// Finds the lines and sectors that the lanes of one global or local memory instruction access.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "arch/sm/common/bank_conflicts.h"
#include "arch/sm/common/op.h"
#include "arch/sm/units/l1/tag_bank.h"
#include "sim/config/forward.h"

namespace sassim::arch {

/// What an instruction accesses in one line.
struct LineAccess {
  std::uint64_t address = 0;    ///< address of the line
  std::uint8_t sectors = 0;     ///< accessed sectors
  std::uint8_t partial = 0;     ///< sectors of which only some bytes are written (by atomics in waves: changed)
  std::uint8_t operations = 0;  ///< lanes (local accesses: 4-byte words)
  std::uint8_t serial = 0;      ///< atomics: the most lanes that use the same address
  std::uint8_t pass = 0;        ///< pass of the tag stage
  std::uint8_t again =
      0;  ///< LDGSTS that bypasses the L1: sectors requested twice because their halves go to different places
  std::uint8_t places = 0;  ///< LDGSTS that bypasses the L1: sector-sized pieces of shared memory that receive the data
  bool split = false;       ///< LDGSTS that bypasses the L1: the L2 sends the data of this line in several parts
};

inline constexpr std::uint32_t kMaxL1Line = 256;
using ByteMask = std::array<std::uint64_t, kMaxL1Line / 64>;

/// What an instruction accesses in all of its lines.
struct LineAccesses {
  std::array<LineAccess, 4 * kWarpSize> lines;
  std::vector<ByteMask> bytes;  ///< accessed bytes of each line: always for stores, on request for loads; else empty
  std::uint8_t count = 0;
  std::uint8_t tag_passes = 0;
  std::uint16_t sector_count = 0;
  BankPasses data;  ///< passes of the data array if all sectors hit

  template <class Archive>
  void state(Archive& archive) {
    archive(count, tag_passes, sector_count, data);
    for (std::size_t i = 0; i < std::min<std::size_t>(count, lines.size()); ++i) archive(lines[i]);
    archive(bytes);
    if constexpr (Archive::kLoading) bytes.resize(count);
  }
};

/// Lines are ordered by pass, then by first lane. In one pass the tag stage looks up l1.tags_per_cycle lines, one per
/// tag bank; lines of the same bank need one pass each. With l1.atomic_waves, lanes of an atomic that use the same word
/// are in different waves, and a line has one entry per wave.
class Coalescer {
 public:
  /// Throws InputError for a line that has more sectors than a request can name (eight).
  Coalescer(const config::L1Config& l1, const config::SharedMemory& shared);
  /// `bytes` is the size per lane. Maps offsets in local memory to addresses. `which_bytes`: fills in `bytes` of the
  /// result for loads too.
  void coalesce(const UnitOp& op, std::uint32_t bytes, LineAccesses& result, bool which_bytes = false) const;

 private:
  std::uint32_t add(std::uint64_t address, std::uint32_t bytes, LineAccesses& result) const;
  void add_waves(const UnitOp& op, std::uint32_t bytes, LineAccesses& result) const;
  bool in_a_row(const UnitOp& op, std::uint32_t bytes) const;
  void add_row(std::uint64_t first, std::uint32_t bytes, LineAccesses& result) const;
  void mark_bytes(const UnitOp& op, std::uint32_t bytes, LineAccesses& result) const;
  void mark_lanes(const UnitOp& op, std::uint32_t bytes, LineAccesses& result) const;
  std::uint8_t unwritten(const LineAccess& line, const ByteMask& written) const;
  void place_copies(const UnitOp& op, LineAccesses& result) const;
  void count_operations(const UnitOp& op, LineAccesses& result) const;
  void assign_passes(LineAccesses& result) const;

  std::uint32_t line_, sector_, tags_;
  bool waves_;
  std::uint32_t line_shift_ = 0, sector_shift_ = 0;
  BankShape banks_;
  TagBanks tag_bank_;
};

/// Local memory of a warp is interleaved: the same 4-byte word of its 32 threads is contiguous. `thread` counts over
/// the whole GPU; `bytes_per_thread` is the local memory of the kernel.
std::uint64_t local_address(std::uint64_t offset, std::uint64_t thread, std::uint32_t bytes_per_thread);

}  // namespace sassim::arch
