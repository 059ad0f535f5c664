// SPDX-License-Identifier: Apache-2.0
// The first-level constant cache of LDC: one address per pass; misses go to the L1.5 of the SM. Either instructions are
// served in order, or (memory_io.adu_queue) those that hit overtake those that miss.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "arch/cache/tag_array.h"
#include "arch/common/ring.h"
#include "arch/sm/common/constant_miss_port.h"
#include "arch/sm/common/event_queue.h"
#include "arch/sm/common/op.h"
#include "sim/config/forward.h"
#include "sim/config/groups/constant_caches.h"
#include "sim/stats/counter_values.h"

namespace sassim::arch {

class VariableConstantCache {
 public:
  VariableConstantCache(const config::Sm& sm, ConstantMissPort& port, EventQueue& events, SmId id = SmId{});

  /// With memory_io.adu_queue, hits overtake misses.
  bool overtakes() const { return loads_ != 0; }
  bool can_accept() const { return queue_.size() < capacity_; }
  /// If hits overtake misses: the earliest cycle in which accept() may be called; kNever if a line must come first.
  Cycle accept_ready(Cycle now) const;
  void accept(const UnitOp& op, Cycle now);
  void cycle(Cycle now);
  Cycle next_event() const { return std::min(next_, port_.next_reply()); }
  bool idle() const { return queue_.empty() && missing_.empty() && pending_.empty(); }
  void clear() { tags_.clear(); }

  struct Counters {
    std::uint64_t instructions = 0, requests = 0, hits = 0, misses = 0;
  };
  const Counters& counters() const { return counters_; }
  void clear_counters() { counters_ = {}; }
  void report(stats::CounterValues& values) const;

  template <class Archive>
  void state(Archive& archive) {
    archive(tags_, pending_, queue_, missing_, leaving_, free_, next_, tag_, counters_);
  }

 private:
  struct Queued {
    OpToken token;
    std::uint32_t pc = 0;
    bool uniform = false;
    bool missed = false;
    Cycle accepted;
    std::uint32_t passes = 0;  ///< distinct words
    std::uint32_t width = 1;   ///< data of a lane in units of 8 bytes
    std::uint32_t count = 0;
    std::array<std::uint64_t, kWarpSize> lines;  ///< distinct lines that have not been found yet

    template <class Archive>
    void state(Archive& archive) {
      archive(token, pc, uniform, missed, accepted, passes, width, count);
      for (std::size_t i = 0; i < std::min<std::size_t>(count, lines.size()); ++i) archive(lines[i]);
    }
  };
  struct Pending {
    std::uint64_t line = 0;
    std::uint32_t tag = 0, pc = 0;
  };

  std::size_t set_of(std::uint64_t line) const;
  LineUse use(std::uint32_t pc, Cycle now) const { return {RequestKind::constant, pc, sm_, now.value}; }
  bool look_up(std::uint64_t line, const LineUse& use);
  void fill(std::uint64_t line, const LineUse& use);
  bool holds(std::uint64_t line) const;
  bool serve(Queued& op, Cycle now);
  void finish(const Queued& op, Cycle now);
  void look_up_all(Queued& op, Cycle now);
  void line_came(std::uint64_t line, Cycle now);
  void request_missing(Cycle now);
  bool ask_for(std::uint64_t line, std::uint32_t pc, Cycle now);
  void look_ahead(Cycle now);

  config::ConstantCaches config_;
  std::uint32_t before_accept_;
  std::size_t capacity_;
  std::size_t loads_, lines_;  ///< memory_io.adu_queue
  ConstantMissPort& port_;
  EventQueue& events_;
  SmId sm_;
  TagArray tags_;
  std::vector<Pending> pending_;
  Ring<Queued> queue_;
  std::vector<Queued> missing_;  ///< if hits overtake misses: instructions with lines that are not here, oldest first
  Ring<Cycle> leaving_;          ///< when the instructions that have been served get their results
  Cycle free_, next_ = kNever;
  std::uint32_t tag_ = 0;
  Counters counters_;
};

}  // namespace sassim::arch
