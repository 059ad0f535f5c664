// SPDX-License-Identifier: Apache-2.0
// The bytes behind an SM's L1 while its warps are live: a load that hits gets its line as it was when it was filled,
// with what the SM itself has stored since; a load that misses gets what the memory holds when its request is there.
//
// begin() to end() are called on the SM's thread, serve...() between epochs. An SM's accesses to one line take place in
// the order in which they were issued, whatever overtakes what on the way.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "arch/sm/memory/coalescer.h"
#include "arch/sm/memory/l1_tags.h"
#include "sim/trace/live.h"

namespace sassim::arch {

class LiveLines {
 public:
  using Access = trace::LiveAccess;

  /// Of an L1 with so many pending requests.
  LiveLines(std::uint32_t line_bytes, std::uint32_t sector_bytes, std::uint32_t entries);

  /// A kernel begins. `memory`: what its live warps read; nullptr: it has none.
  void start(const trace::LiveMemory* memory);
  bool active() const { return memory_ != nullptr; }

  /// The instruction has issued. `past_l1`: it wants nothing that the L1 has.
  void begin(Access& access, bool past_l1, const L1Tags& tags);
  /// The tag stage found these sectors of a load.
  void hit(Access& access, std::uint64_t line, std::uint8_t sectors);
  /// A load waits for these sectors, which are on their way as a pending request.
  void join(Access& access, std::uint64_t line, std::uint32_t entry, std::uint8_t sectors);
  /// A pending request is made for this line.
  void open(std::uint32_t entry, std::uint64_t line);
  /// Sectors have come; `keeps`: they go to the L1.
  void arrive(std::uint32_t entry, std::uint8_t sectors, bool keeps);
  /// All that a load waited for in this pending request has come.
  void collect(Access& access, std::uint32_t entry);
  /// The access has ended.
  void end(Access& access, const L1Tags& tags);
  /// The L1 holds no line any more.
  void forget();

  /// The memory reads 32-byte sectors from `address` on, for a load of this order.
  void serve_load(std::uint32_t entry, std::uint64_t address, std::uint8_t sectors, std::uint64_t order);
  /// Lanes of a store or atomic operation that are all in one line take place in memory.
  void serve(Access& access, LaneMask lanes);
  /// Of the lanes that an atomic operation still has to perform, those that one request for these 32-byte sectors from
  /// `address` on is for. `waves`: no two lanes on one word.
  static LaneMask lanes_of_request(const Access& access, std::uint64_t address, std::uint8_t sectors, bool waves);

 private:
  static constexpr std::uint32_t kNone = ~0u;
  using Bytes = std::array<std::byte, kMaxL1Line>;

  /// An access whose bytes in the line are not settled.
  struct Waiting {
    Access* access = nullptr;
    std::uint32_t entry = kNone;  ///< of loads: the pending request that they wait for
    std::uint8_t sectors = 0;     ///< of it
  };
  struct Line {
    Bytes data, own;  ///< as filled; as the SM has stored
    ByteMask filled{}, owned{};
    std::uint64_t own_last = 0;    ///< the order of the last store
    std::uint32_t users = 0;       ///< accesses under way
    std::vector<Waiting> waiting;  ///< in order
  };
  struct Pending {
    std::uint64_t line = 0;
    std::uint8_t served = 0;               ///< sectors that the memory has read
    std::array<std::uint64_t, 8> order{};  ///< of the load that asked for each
    Bytes data;
  };

  std::uint64_t line_of(std::uint64_t address) const { return address & ~std::uint64_t{line_bytes_ - 1}; }
  std::uint32_t offset(std::uint64_t address) const { return static_cast<std::uint32_t>(address & (line_bytes_ - 1)); }
  std::uint8_t sector_bit(std::uint64_t address) const {
    return static_cast<std::uint8_t>(1u << offset(address) / sector_bytes_);
  }
  ByteMask bytes_of(std::uint8_t sectors) const;
  template <class Each>
  void each_lane(const Access& access, std::uint64_t line, Each each) const;
  template <class Each>
  void each_line(const Access& access, Each each);
  void begin_load(Access& access, std::uint64_t line, Line& state, std::uint8_t held, bool present) const;
  void begin_store(const Access& access, std::uint64_t line, Line& state) const;
  void begin_atomic(const Access& access, std::uint64_t line, Line& state) const;
  bool all_known(const Access& access, std::uint64_t line) const;
  void settle(Access& access, std::uint64_t line, Line& state) const;
  void read_lane(Access& access, std::size_t lane) const;
  void read_rest(Access& access, std::uint64_t line) const;
  void perform(Access& access, std::uint64_t line, LaneMask lanes) const;
  void serve_older(Line& state, std::uint64_t line, std::uint64_t order, bool loads) const;
  void sweep(const L1Tags& tags);

  std::uint32_t line_bytes_, sector_bytes_;
  const trace::LiveMemory* memory_ = nullptr;
  std::uint64_t order_ = 0;
  std::unordered_map<std::uint64_t, Line> lines_;
  std::size_t sweep_at_ = 0;
  std::vector<Pending> pending_;
};

}  // namespace sassim::arch
