// SPDX-License-Identifier: Apache-2.0
// The data in and behind the L1 of an SM while its warps are live. A load that hits reads the line as it was when it
// was filled, changed by the SM's own later stores; a load that misses reads what the memory holds when its request
// arrives there.
//
// begin() to end() are called on the thread of the SM, serve...() between epochs. Accesses of an SM to one line take
// effect in the order in which they issued, even if their requests overtake each other.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "arch/sm/common/live_accesses.h"
#include "arch/sm/units/l1/coalescer.h"
#include "arch/sm/units/l1/l1_tags.h"
#include "sim/trace/live.h"

namespace sassim::arch {

class LiveLines {
 public:
  using Access = trace::LiveAccess;

  LiveLines(LiveAccesses& accesses, std::uint32_t line_bytes, std::uint32_t sector_bytes)
      : accesses_(accesses), line_bytes_(line_bytes), sector_bytes_(sector_bytes) {}

  /// Starts a kernel. `memory`: what its live warps read; nullptr: the kernel has no live warps.
  void start(const trace::LiveMemory* memory);
  bool active() const { return memory_ != nullptr; }

  /// The instruction has issued. `past_l1`: it does not use data of the L1.
  void begin(LiveId id, bool past_l1, const L1Tags& tags);
  /// The tag stage found these sectors for a load.
  void hit(LiveId id, std::uint64_t line, std::uint8_t sectors);
  /// A load waits for these sectors of a pending request.
  void join(LiveId id, std::uint64_t line, std::uint32_t entry, std::uint8_t sectors);
  /// A pending request for this line was allocated.
  void open(std::uint32_t entry, std::uint64_t line);
  /// These sectors of a pending request are requested for this load, which need not be live.
  void ask(std::uint32_t entry, std::uint8_t sectors, LiveId id);
  /// Sectors of a pending request have arrived; `keeps`: the L1 stores them.
  void arrive(std::uint32_t entry, std::uint8_t sectors, bool keeps);
  /// Everything that a load waited for in this pending request has arrived.
  void collect(LiveId id, std::uint32_t entry);
  /// The access has ended.
  void end(LiveId id, const L1Tags& tags);
  /// The L1 has invalidated all its lines.
  void invalidate();

  /// A request of a pending request is at the memory: reads 32-byte sectors, the first at `address`, for a live load.
  void serve_load(std::uint32_t entry, std::uint64_t address, std::uint8_t sectors);
  /// A request of a store or atomic is at the memory: performs the lanes whose accesses it covers.
  void serve_request(LiveId id, std::uint64_t address, std::uint8_t sectors, bool waves) {
    serve(id, lanes_of_request(accesses_[id], address, sectors, waves));
  }
  /// Performs these lanes of a store or atomic in memory; they all access one line.
  void serve(LiveId id, LaneMask lanes);
  /// One request covers these 32-byte sectors, the first at `address`. Returns the lanes whose accesses it performs,
  /// among the lanes that have not been performed yet. `waves`: at most one lane per word.
  static LaneMask lanes_of_request(const Access& access, std::uint64_t address, std::uint8_t sectors, bool waves);

 private:
  static constexpr std::uint32_t kNone = ~0u;
  using Bytes = std::array<std::byte, kMaxL1Line>;

  /// An access that is not finished in this line: a load with unknown bytes, or a store or atomic that was not
  /// performed.
  struct Waiting {
    LiveId access;
    std::uint32_t entry = kNone;  ///< for a load: the pending request that it waits for
    std::uint8_t sectors = 0;     ///< the sectors that it waits for
  };
  struct Line {
    Bytes data, own;  ///< data as filled; data that the SM has stored
    ByteMask filled{}, owned{};
    std::uint64_t own_last = 0;    ///< order of the last store
    std::uint32_t users = 0;       ///< accesses in flight
    std::vector<Waiting> waiting;  ///< in order of issue
  };
  struct Pending {
    std::uint64_t line = 0;
    std::uint8_t served = 0;               ///< sectors that the memory has read
    std::array<std::uint64_t, 8> asked{};  ///< for each sector, the order of the load that requested it; 0: not live
    std::array<std::uint64_t, 8> order{};  ///< for each sector, that of the load for which the memory has read it
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
  void settle(LiveId id, std::uint64_t line, Line& state) const;
  void read_lane(Access& access, std::size_t lane) const;
  void read_rest(Access& access, std::uint64_t line) const;
  void perform(Access& access, std::uint64_t line, LaneMask lanes) const;
  void serve_older(Line& state, std::uint64_t line, std::uint64_t order, bool loads) const;
  void sweep(const L1Tags& tags);

  LiveAccesses& accesses_;
  std::uint32_t line_bytes_, sector_bytes_;
  const trace::LiveMemory* memory_ = nullptr;
  std::uint64_t order_ = 0;
  std::unordered_map<std::uint64_t, Line> lines_;
  std::size_t sweep_at_ = 0;
  std::vector<Pending> pending_;  ///< by entry, as many as kernels with live warps have used
};

}  // namespace sassim::arch
