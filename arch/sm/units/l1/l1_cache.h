// SPDX-License-Identifier: Apache-2.0
// The L1 data cache: write-through, sectored, with many outstanding misses. Its tag stage serves one pass of one
// instruction per cycle, line by line; loads, stores and the return of data are parts of their own.
#pragma once

#include <algorithm>
#include <cstdint>

#include "arch/sm/units/l1/access_queue.h"
#include "arch/sm/units/l1/data_return.h"
#include "arch/sm/units/l1/l1_core.h"
#include "arch/sm/units/l1/l1_loads.h"
#include "arch/sm/units/l1/l1_stores.h"
#include "arch/sm/units/unit.h"
#include "sim/base/wait_graph.h"

namespace sassim::arch {

class L1Cache {
 public:
  L1Cache(const UnitParts& parts, MemoryPort& port);

  /// Gives the L1 the part of the array that shared memory does not use. Keeps the contents only if `keep` is set and
  /// the size does not change. Throws InputError if the rest is not a whole number of lines.
  void configure(std::uint64_t carveout_bytes, bool keep);
  /// Replacement policies see the time from here on.
  void count_time_from(Cycle begin) { core_.begin = begin; }
  /// Pages whose translations a launch finds (MissPath::know).
  void preload(const std::vector<std::uint64_t>* pages) { core_.misses.preload(pages); }
  /// Invalidates all lines: later loads use neither a cached line nor one in flight.
  void invalidate();

  /// Memory that the live warps of the next kernel read; nullptr: the kernel is a replay.
  void start_live(const trace::LiveMemory* memory) { core_.live.start(memory); }
  /// A live access to global memory has issued; accept() receives it later.
  void begin(LiveId access, bool past_l1) { core_.live.begin(access, past_l1, *core_.tags); }
  /// Between epochs: a request of live accesses has reached the memory.
  void serve(const MemRequest& request);

  /// The observer of every line lookup; nullptr: none.
  void observe(AccessObserver* observer) { core_.observer = observer; }

  bool can_accept() const { return !queue_.full(); }
  bool queue_empty() const { return queue_.empty(); }
  /// `extra_data`: more cycles of the data stage once the data are there (LDGSTS writes shared memory). The returned
  /// lines are valid until the next call.
  const LineAccesses& accept(const UnitOp& op, L1Mode mode, Cycle now, std::uint32_t extra_data);
  void reply(const MemReply& reply, Cycle now);
  void cycle(Cycle now);
  Cycle next_event() const { return std::min({next_tags_, core_.misses.next_event(), next_store()}); }
  bool idle() const { return returns_.in_flight() == 0 && core_.misses.idle(); }
  /// Adds to the graph what this cache waits for, and the memory stage if the queue of the cache is full.
  void describe_waits(WaitGraph& graph, WaitGraph::Node stage) const;

  const L1Counters& counters() const { return core_.counters; }
  void report(stats::CounterValues& values) const {
    core_.counters.report(values, !core_.config.join_parts);
    core_.misses.report(values);
  }
  void clear_counters() {
    core_.counters = {};
    core_.misses.clear_counters();
  }
  std::uint32_t lines() const { return core_.tags->lines(); }

  /// After configure() for the same launch. Of launches whose warps are not live.
  template <class Archive>
  void state(Archive& archive) {
    archive(size_, core_.begin, core_.misses, core_.counters, *core_.tags, queue_, returns_, loads_, stores_,
            busy_until_, next_tags_);
  }

 private:
  void tag_stage(Cycle now);
  bool look_up(L1Access& access, const LineAccess& line, Cycle now);
  void observe(const L1Access& access, const LineAccess& line);
  Cycle next_pass(Cycle now) const;
  Cycle next_store() const { return stores_.next_store(busy_until_); }
  void retry(Cycle now) {
    if (!queue_.empty() && next_tags_ == kNever) next_tags_ = now + 1;
  }

  L1Core core_;
  AccessQueue queue_;
  DataReturn returns_;
  L1Loads loads_;
  L1Stores stores_;
  std::uint64_t size_ = 0;
  Cycle busy_until_{};        ///< until then the tag stage is busy with lines of a store, or with many sectors
  Cycle next_tags_ = kNever;  ///< the next pass
};

}  // namespace sassim::arch
