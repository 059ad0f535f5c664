// SPDX-License-Identifier: Apache-2.0
// The SM's L1 instruction cache, which is also its L1.5 constant cache. One lookup per cycle for the L0 caches and
// constant caches in front of it; misses go to the L2 through the memory port.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "arch/cache/line_cache.h"
#include "arch/network/memory_port.h"
#include "arch/sm/constant_turns.h"
#include "arch/sm/ring.h"
#include "arch/sm/timing_wheel.h"
#include "sim/stats/metrics.h"

namespace sassim::arch {

class InstructionCache {
 public:
  /// Who asks, and what for; the answer carries it back.
  struct Client {
    std::uint8_t id = 0;  ///< processing block, or kLoadStore
    bool constant = false;
    std::uint64_t what = 0;  ///< the client's own name for the line
  };
  static constexpr std::uint8_t kLoadStore = 0xff;

  InstructionCache(const config::FrontEnd& config, MemoryPort& port, SmId sm = SmId{});

  /// Asks for the client's line: `bytes` from virtual `address` on. A hit is answered `latency` cycles after its
  /// lookup; of a line that is coming, what is asked for goes on as soon as it is there.
  void request(std::uint64_t address, std::uint32_t bytes, std::uint32_t latency, const Client& client, Cycle now);
  /// A reply from the L2 to one of this cache's requests.
  void reply(const MemReply& reply, Cycle now);
  /// Sends what waits for the port.
  void cycle(Cycle now);
  Cycle next_event() const;
  /// Hands over the answers due at `now`.
  template <class Take>
  void pop(Cycle now, Take take) {
    answers_.pop(now, take);
  }
  bool idle() const { return pending_.empty() && answers_.next() == kNever; }
  void clear() { tags_.clear(); }
  /// What the L0 caches hold, where all hold what one of them has fetched.
  LineCache& l0() { return l0_; }
  SmId sm() const { return sm_; }
  /// A launch brings constants of its own, which lie where those of others were.
  void forget(std::uint64_t address, std::uint64_t bytes) {
    tags_.erase(tags_.line_of(address), tags_.line_of(address + bytes - 1));
  }
  /// Cycles between lookups of constants, on average. More than one: beside those of instructions, else among them. Two
  /// SMs share a way, first the lines of one, then those of the other: an SM has kConstantTurn lines at twice the rate,
  /// and waits as long again. `first`: when the first lines of this kernel are looked up, from the first request on.
  void take_turns(std::uint32_t interval, const std::array<std::uint32_t, kConstantTurn>& first) {
    constant_interval_ = std::max(1u, interval);
    pace_ = first;
    turn_ = {{}, {}, 0, true};
  }
  /// Holds `bytes` from virtual `address` on, as a launch leaves them.
  void preload(std::uint64_t address, std::uint64_t bytes) {
    for (std::uint64_t line = tags_.line_of(address); line * tags_.line_bytes() < address + bytes; ++line)
      tags_.insert(line, {RequestKind::instruction, 0, sm_, 0});
  }
  /// The launch's code is on its way: nobody finds instructions before.
  void code_arrives(Cycle at) { code_arrives_ = at; }
  void clear_counters() { hits_[0] = hits_[1] = misses_[0] = misses_[1] = 0; }
  void report(stats::MetricSet& metrics) const;

 private:
  struct Waiting {
    Client client;
    std::uint32_t latency;
    std::uint64_t pieces;  ///< of the line, that the client waits for
  };
  /// A line that is on its way in pieces, as long as lines of the L2 are.
  struct Pending {
    std::uint64_t line;
    std::uint64_t missing;  ///< bit per piece still to come
    std::vector<Waiting> waiting;
  };
  struct Pieces {
    std::uint32_t first, count;
    std::uint64_t mask() const { return ((std::uint64_t{2} << (count - 1)) - 1) << first; }
  };
  Pieces pieces_of(std::uint64_t line, std::uint64_t address, std::uint64_t bytes) const;
  void ask(std::uint64_t line, const Pieces& wanted, bool constant);
  void answer(const Waiting& waiting, Cycle now);
  void free_places(Cycle now);
  /// When another line may be asked for; kNever: when one has come.
  Cycle place_free() const {
    if (in_flight_ < most_in_flight_) return Cycle(0);
    return coming_free_.empty() ? kNever : coming_free_.front();
  }

  LineCache tags_, l0_;
  SmId sm_;
  MemoryPort& port_;
  std::uint32_t in_flight_ = 0, most_in_flight_, release_, lookup_, constant_interval_, constant_delay_;
  /// The turn of an SM among those that share the way of constants.
  struct Turn {
    Cycle begin, end;
    std::uint32_t lines = 0;
    bool to_come = false;  ///< the first one of a kernel
  };
  Cycle turn_lookup(Cycle now);

  Cycle lookup_free_, code_arrives_;
  Turn turn_;
  std::array<std::uint32_t, kConstantTurn> pace_{};  ///< of the lines of a turn, from its beginning
  TimingWheel<Client> answers_;
  std::vector<Pending> pending_;
  Ring<Cycle> coming_free_;  ///< places whose lines have come
  std::deque<MemRequest> out_;
  Cycle send_at_ = kNever;
  bool starved_ = false;  ///< no credit was left, nor known to come
  std::uint64_t hits_[2] = {}, misses_[2] = {};
};

}  // namespace sassim::arch
