// SPDX-License-Identifier: Apache-2.0
// The second-level TLB, which all SMs share, and the page walks behind it. Loads of a walk go through L2 and DRAM like
// other loads. Times are SM cycles.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "arch/cache/tlb.h"
#include "arch/common/component.h"
#include "arch/common/fifo.h"
#include "arch/memory/entry_slice.h"
#include "arch/network/link.h"
#include "arch/network/network_port.h"
#include "sim/base/wait_graph.h"
#include "sim/config/forward.h"
#include "sim/config/groups/tlb.h"
#include "sim/stats/counter_values.h"

namespace sassim::arch {

class Translator final : public Component {
 public:
  /// `of_program`: translations last for the program, whatever the caches start with.
  Translator(const config::Memory& config, bool of_program, const EntrySlice& entry, NetworkPort& network);

  void advance(Cycle until) override;
  Cycle next_event() const override;

  /// Between epochs: sorts the messages that have been delivered, none of which may be due before `now`.
  void settle(Share share, Cycle now) {
    if (share.has(network_.number())) network_.settle(now);
  }

  void start_kernel(bool keep_caches);
  /// The first address that was asked for in each page, in the order of the walks' ends.
  const std::vector<std::uint64_t>& translated() const { return translated_; }
  bool idle() const { return network_.requests().empty() && network_.replies().empty() && walks_.empty(); }
  void check_conservation() const;
  void report(stats::CounterValues& values) const;
  void describe_waits(WaitGraph& graph) const;
  template <class Archive>
  void state(Archive& archive) {
    archive(tlb_, translated_, lookups_, walks_, waiting_for_walker_, loads_, free_loads_, walking_);
    archive(reply_sequence_, request_sequence_, counts_.hits, counts_.misses, counts_.merged, counts_.walks,
            counts_.asked, counts_.answered);
  }

 private:
  struct Walk {
    std::vector<MemRequest> waiting;
  };

  void look_up(const MemRequest& request, Cycle now);
  void load(std::uint64_t page, Walk& walk, Cycle now);
  void step(const MemReply& loaded);
  void finish(std::uint64_t page, Cycle now);
  void reply(const MemRequest& request, Cycle time);

  config::TlbConfig config_;
  bool of_program_;
  std::uint32_t walk_latency_, walkers_;
  const EntrySlice& entry_;
  NetworkPort& network_;
  Tlb tlb_;
  std::vector<std::uint64_t> translated_;
  Link<Cycle> lookups_;                            ///< one per cycle (assumed)
  std::unordered_map<std::uint64_t, Walk> walks_;  ///< by page; never iterated over
  Fifo<std::uint64_t> waiting_for_walker_;
  std::vector<std::uint64_t> loads_;  ///< the page of each load in flight, by tag
  std::vector<std::uint32_t> free_loads_;
  std::uint32_t walking_ = 0;
  std::uint32_t reply_sequence_ = 0, request_sequence_ = 0;
  struct {
    std::uint64_t hits = 0, misses = 0, merged = 0, walks = 0, asked = 0, answered = 0;
  } counts_;
};

}  // namespace sassim::arch
