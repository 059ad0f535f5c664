// SPDX-License-Identifier: Apache-2.0
// The L1 instruction cache of an SM, which is also its L1.5 constant cache. It serves one lookup per cycle of the L0
// and constant caches in front of it; misses go to the L2 through the memory port.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "arch/cache/line_cache.h"
#include "arch/common/timing_wheel.h"
#include "arch/network/memory_port.h"
#include "arch/sm/fetch/constant_turns.h"
#include "sim/config/groups/front_end.h"
#include "sim/stats/counter_values.h"

namespace sassim::arch {

class InstructionCache {
 public:
  /// The sender of a request and the line that it wants; the answer returns both.
  struct Client {
    enum class Wants : std::uint8_t {
      code,
      operand,          ///< a constant with a fixed address
      indexed_operand,  ///< a constant whose address is in a register
      load              ///< a constant for LDC, which the load/store unit requests
    };
    std::uint8_t block = 0;  ///< processing block
    Wants wants = Wants::code;
    std::uint64_t what = 0;  ///< the client's name for the line

    bool constant() const { return wants != Wants::code; }
  };

  InstructionCache(const config::FrontEnd& config, MemoryPort& port, SmId sm = SmId{});

  /// Requests the client's line: `bytes` from the virtual `address` on. A hit is answered `latency` cycles after its
  /// lookup. From a line in flight, the requested pieces are passed on as soon as they arrive.
  void request(std::uint64_t address, std::uint32_t bytes, std::uint32_t latency, const Client& client, Cycle now);
  /// A reply from the L2 to one of this cache's requests.
  void reply(const MemReply& reply, Cycle now);
  /// Sends requests that waited for the port.
  void cycle(Cycle now) {
    if (send_at_ <= now) send(now);
  }
  Cycle next_event() const;
  /// Passes the answers that are due at `now` to `take`.
  template <class Take>
  void pop(Cycle now, Take take) {
    answers_.pop(now, take);
  }
  bool idle() const { return pending_.empty() && answers_.next() == kNever; }
  void clear() { tags_.clear(); }
  /// With `l0_shared`: the L0 cache that all processing blocks of the SM share.
  LineCache& l0() { return l0_; }
  SmId sm() const { return sm_; }
  /// Drops lines, because a launch writes its constants to addresses that an earlier launch used.
  void invalidate(std::uint64_t address, std::uint64_t bytes) {
    tags_.erase(tags_.line_of(address), tags_.line_of(address + bytes - 1));
  }
  /// `interval`: average cycles between lookups of constants. If it is above one, constants have lookups of their own;
  /// else they share those of instructions. Two SMs share a path, which serves lines of one SM, then lines of the
  /// other: an SM gets kConstantTurn lines at twice the rate and then waits for the same time. `first`: cycles from the
  /// first request to the lookups of the kernel's first lines.
  void alternate_constants(std::uint32_t interval, const std::array<std::uint32_t, kConstantTurn>& first) {
    constants_.interval = std::max(1u, interval);
    constants_.pace = first;
    constants_.turn = {{}, {}, 0, true};
  }
  /// Fills in `bytes` from the virtual `address` on, as a launch does.
  void preload(std::uint64_t address, std::uint64_t bytes) {
    for (std::uint64_t line = tags_.line_of(address); line * tags_.line_bytes() < address + bytes; ++line)
      tags_.insert(line, {RequestKind::instruction, 0, sm_, 0});
  }
  /// The launch's code is in flight until `at`: instructions do not hit before.
  void code_arrives(Cycle at) { code_arrives_ = at; }
  /// The launch's constants are in flight from the first request for `cycles`: no constant hits before. 0: they are
  /// here.
  void constants_arrive_after(std::uint32_t cycles) {
    constants_.wait = cycles;
    constants_.arrive = kNever;
  }
  void clear_counters() { hits_[0] = hits_[1] = misses_[0] = misses_[1] = 0; }
  void report(stats::CounterValues& values) const;

  template <class Archive>
  void state(Archive& archive) {
    archive(tags_, l0_, in_flight_, constants_.interval, lookup_free_, code_arrives_, constants_.wait,
            constants_.arrive, constants_.turn, constants_.pace, answers_);
    archive(pending_, out_, send_at_, starved_, hits_[0], hits_[1], misses_[0], misses_[1]);
  }

 private:
  struct Waiting {
    Client client;
    std::uint32_t latency;
    std::uint64_t pieces;  ///< one bit per piece of the line for which the client waits
  };
  /// A line in flight, in pieces of the size of an L2 line.
  struct Pending {
    std::uint64_t line;
    std::uint64_t missing;  ///< one bit per piece that has not arrived
    std::vector<Waiting> waiting;
  };
  struct Pieces {
    std::uint32_t first, count;
    std::uint64_t mask() const { return ((std::uint64_t{2} << (count - 1)) - 1) << first; }
  };
  Pieces pieces_of(std::uint64_t line, std::uint64_t address, std::uint64_t bytes) const;
  void ask(std::uint64_t line, const Pieces& wanted, bool constant);
  void answer(const Waiting& waiting, Cycle now);
  void send(Cycle now);
  /// The cycle from which another line may be requested; kNever: not before a line in flight arrives.
  Cycle place_free() const { return in_flight_ < most_in_flight_ ? Cycle(0) : kNever; }

  LineCache tags_, l0_;
  SmId sm_;
  MemoryPort& port_;
  std::uint32_t in_flight_ = 0, most_in_flight_, lookup_;
  /// The turn of this SM among the SMs that share the path of constants.
  struct Turn {
    Cycle begin, end;
    std::uint32_t lines = 0;
    bool to_come = false;  ///< the first turn of a kernel has not started
  };
  Cycle turn_lookup(Cycle now);
  Cycle arrival_of_constants(Cycle now);

  Cycle lookup_free_, code_arrives_;
  struct {
    std::uint32_t interval, delay;
    std::uint32_t wait = 0;
    Cycle arrive = kNever;
    Turn turn{};
    std::array<std::uint32_t, kConstantTurn> pace{};  ///< lookups of the lines of a turn, in cycles from its start
  } constants_;
  TimingWheel<Client> answers_;
  std::vector<Pending> pending_;
  std::deque<MemRequest> out_;
  Cycle send_at_ = kNever;
  bool starved_ = false;  ///< the port cannot send; a credit may arrive before those that are on their way
  std::uint64_t hits_[2] = {}, misses_[2] = {};
};

}  // namespace sassim::arch
