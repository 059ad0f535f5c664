// SPDX-License-Identifier: Apache-2.0
// Detects whether a block of a launch reads what another block of the launch writes. If no block does, the order of
// blocks changes only the rounding of sums, and blocks may run one after the other. The code of a kernel shows whether
// it can happen; only the addresses show whether it does. So launches are watched while they run.
//
// Most kernels read some allocations and write others. If a launch both reads and writes an allocation, the launch
// starts again, and for each sector of this allocation the blocks that read and wrote it are recorded.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/base/types.h"
#include "sim/emu/memory/device_memory.h"
#include "sim/emu/order/access_watch.h"
#include "sim/emu/order/order_matters.h"

namespace sassim::emu {

/// Thrown in the middle of a launch: the launch must be undone and executed again with exact records of accesses.
struct StartAgain {};

class SharingWatch final : public AccessWatch {
 public:
  /// Throws OrderMatters when blocks meet, if they must not.
  explicit SharingWatch(bool must_not_meet) : AccessWatch(false), must_not_meet_(must_not_meet) {}

  /// Throws StartAgain, OrderMatters.
  void access(const DeviceMemory&, BlockId, const Access&) override;
  /// The text counts only when the launch is not started again.
  void print(std::string text) override { printed_ += text; }
  const std::string& printed() const { return printed_; }
  /// The launch goes on as it began, whatever it shares.
  void give_up() override;
  /// Makes memory what it was before the launch.
  void undo();
  /// Blocks have been seen to meet.
  bool met() const { return met_; }

 private:
  static constexpr std::uint64_t kPage = 4096, kSector = 32;
  /// Blocks, from 1; 0: none yet.
  struct Touch {
    std::uint32_t reader = 0, writer = 0;
  };
  using Sectors = std::array<Touch, kPage / kSector>;
  struct Watched {
    explicit Watched(const Allocation&);
    Allocation region;  ///< an allocation and what lies beside it
    bool loaded = false, stored = false, by_sector = false;
    std::vector<std::unique_ptr<Sectors>> sectors;  ///< by page, of those touched; by_sector only
    std::vector<bool> kept;                         ///< pages
  };
  struct Page {
    std::byte* host;
    std::uint64_t bytes;
    std::array<std::byte, kPage> content;
  };

  /// nullptr: nothing there, which the access itself will report.
  Watched* find(const DeviceMemory&, std::uint64_t address, std::uint64_t bytes);
  void mark(Watched&, const Access&);
  void touch(Watched&, std::uint32_t block, std::uint64_t first, std::uint64_t last, bool load, bool store);
  void keep(Watched&, std::uint64_t first, std::uint64_t last);

  std::unordered_map<std::uint64_t, std::unique_ptr<Watched>> watched_;
  std::array<Watched*, 8> recent_{};
  std::deque<Page> pages_;
  std::string printed_;
  bool must_not_meet_, met_ = false, given_up_ = false;
};

}  // namespace sassim::emu
