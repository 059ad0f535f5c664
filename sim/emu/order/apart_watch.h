// SPDX-License-Identifier: Apache-2.0
// Watches blocks of a launch that run at the same time on several threads. Their order changes nothing as long as no
// block reads a byte that another block writes, and no two blocks write the same byte. Whoever finds that one did
// throws NotApart; undo() then makes memory what it was before the launch, which can run again in the plain order of
// blocks.
//
// Most kernels read some allocations and write others. For each sector that was written it is recorded which block has
// done it, and which bytes. If a launch also reads the allocation, it must be watched by sectors: then the blocks that
// read are recorded, too. Sectors are judged as a whole where a block reads and another writes: that is more than what
// is wrong, but never less.
//
// Reductions, atomic operations whose result nobody gets, are performed later, in the order of blocks. They may change
// the same bytes, which no block may then read or write otherwise.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "sim/emu/memory/device_memory.h"
#include "sim/emu/order/access_watch.h"

namespace sassim::emu {

/// The blocks of a launch must run in the plain order.
struct NotApart {
  bool look_closer = false;  ///< unless a watch by sectors sees that they need not
};
struct WatchedRegion;

class ApartWatch {
 public:
  explicit ApartWatch(bool by_sectors) : by_sectors_(by_sectors) {}
  ApartWatch(const ApartWatch&) = delete;
  ApartWatch& operator=(const ApartWatch&) = delete;

  bool by_sectors() const { return by_sectors_; }
  /// Makes memory what it was before the launch. Call it when no block runs any more.
  void undo();
  /// Makes memory what it was before the launch, or, the next time, what the launch has left. Call it while no block
  /// runs.
  void exchange();

  /// What one thread tells.
  class Thread final : public AccessWatch {
   public:
    explicit Thread(ApartWatch& all) : AccessWatch(true), all_(all) {}
    void access(const DeviceMemory&, BlockId, const Access&) override;
    void print(std::string) override { throw NotApart{}; }
    void give_up() override { throw NotApart{}; }
    void untold() override { throw NotApart{}; }

   private:
    ApartWatch& all_;
    std::array<WatchedRegion*, 8> recent_{};
    std::size_t oldest_ = 0;  ///< of recent_
  };

 private:
  /// Every page that was written: where it is, and what it held.
  void for_each_kept(const std::function<void(std::byte* memory, std::vector<std::byte>& before)>&);
  WatchedRegion& region(const DeviceMemory&, std::uint64_t address, std::uint64_t bytes);

  const bool by_sectors_;
  std::mutex mutex_;  ///< of regions_
  std::map<std::uint64_t, std::shared_ptr<WatchedRegion>> regions_;
};

}  // namespace sassim::emu
