// SPDX-License-Identifier: Apache-2.0
// An SM's L1 as the rough clocks know it (timing.h). It matters to results: what an SM has read before stays in its L1,
// and plain loads see it as it was, however often other SMs have written it since, until a fence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/emu/core/device_memory.h"

namespace sassim::emu {

class RoughL1 {
 public:
  struct Answer {
    std::byte* at =
        nullptr;  ///< the bytes as the L1 has them; nullptr: those in memory, the L1 has no place for them now
    std::uint64_t ready = 0;  ///< when they come, if they were asked for before
    bool miss = false;        ///< the sector has been read from memory
  };
  /// A plain load of at most one sector. `instruction` counts: lines that it has used stay for its other lanes.
  Answer load(const DeviceMemory&, std::uint64_t address, std::uint64_t instruction);
  /// The address's sector is there, or on its way.
  bool has(std::uint64_t address);
  /// When the sector that has just missed comes.
  void comes(std::uint64_t address, std::uint64_t ready);
  /// The lane's bytes have been written to memory at `from`.
  void store(std::uint64_t address, const std::byte* from, unsigned bytes);
  /// An atomic operation: the sector is no longer what it was.
  void drop(std::uint64_t address);
  void drop_all() { ++age_; }

 private:
  static constexpr std::size_t kSets = 416, kWays = 4, kLine = 128, kSector = 32;  ///< 208 KiB
  struct Tag {
    std::uint64_t line = ~std::uint64_t{0}, age = 0;
    std::uint64_t used = 0;  ///< by which instruction
  };
  struct Line {
    std::uint32_t sectors = 0;  ///< bit per sector that is there
    std::uint64_t ready[kLine / kSector];
    std::byte bytes[kLine];
  };

  std::size_t set_of(std::uint64_t address) const { return address / kLine % kSets * kWays; }
  Line* find(std::uint64_t address);

  std::vector<Tag> tags_;
  std::vector<Line> lines_;
  std::uint64_t age_ = 0;
};

}  // namespace sassim::emu
