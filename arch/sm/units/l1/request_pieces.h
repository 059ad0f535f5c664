// SPDX-License-Identifier: Apache-2.0
// Splits lines of the L1 into requests to the L2, which cover 128 bytes in sectors of 32. Lines and sectors of the L1
// may be larger.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "sim/base/error.h"
#include "sim/base/types.h"

namespace sassim::arch {

inline std::uint64_t sector_count(std::uint8_t sectors) { return static_cast<std::uint64_t>(std::popcount(sectors)); }

class RequestPieces {
 public:
  static constexpr std::uint32_t kBytes = 128;

  RequestPieces(std::uint32_t line, std::uint32_t sector)
      : ratio_(sector / kSectorBytes), per_piece_(std::min(line, kBytes) / std::max(sector, 1u)) {
    if (sector < kSectorBytes || sector > kBytes)
      throw InputError("sm.l1.sector is {}: expected {} to {} bytes, what the L2 has in sectors and requests", sector,
                       kSectorBytes, kBytes);
  }

  /// Calls `piece(offset in the line, 32-byte sectors)` for each 128-byte piece that holds any of the line's `sectors`.
  template <class Piece>
  void each(std::uint8_t sectors, Piece piece) const {
    std::uint32_t offset = 0;
    for (std::uint32_t left = sectors; left != 0; left >>= per_piece_, offset += kBytes)
      if (const std::uint8_t small = small_sectors(left); small != 0) piece(offset, small);
  }
  /// The 32-byte sectors of `sectors` in the piece at `offset`.
  std::uint8_t small_at(std::uint8_t sectors, std::uint32_t offset) const {
    return small_sectors(static_cast<std::uint32_t>(sectors) >> offset / kBytes * per_piece_);
  }
  /// The L1 sectors that the 32-byte sectors `small` of a piece cover completely.
  std::uint8_t line_sectors(std::uint32_t offset, std::uint8_t small) const {
    std::uint32_t result = 0;
    for (std::uint32_t i = 0; i < per_piece_; ++i)
      if ((small >> i * ratio_ & mask()) == mask()) result |= 1u << i;
    return static_cast<std::uint8_t>(result << offset / kBytes * per_piece_);
  }

 private:
  std::uint32_t mask() const { return (1u << ratio_) - 1; }
  std::uint8_t small_sectors(std::uint32_t sectors) const {
    std::uint32_t result = 0;
    for (std::uint32_t i = 0; i < per_piece_; ++i)
      if ((sectors >> i & 1) != 0) result |= mask() << i * ratio_;
    return static_cast<std::uint8_t>(result);
  }

  std::uint32_t ratio_, per_piece_;
};

}  // namespace sassim::arch
