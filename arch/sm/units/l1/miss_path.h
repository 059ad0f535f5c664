// SPDX-License-Identifier: Apache-2.0
// The path from the L1 to the network port: address translation, then a queue that sends one request per cycle.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/cache/tlb.h"
#include "arch/common/ring.h"
#include "arch/network/memory_port.h"
#include "sim/config/forward.h"
#include "sim/stats/counter_values.h"

namespace sassim::arch {

class MissPath {
 public:
  MissPath(const config::Sm& sm, MemoryPort& port, SmId id = SmId{});

  bool has_room() const { return sending_.size() + waiting_.size() < capacity_; }
  /// Takes a request that the L1 made at `now`; the request leaves `saved` cycles earlier than usual. Requests to an
  /// unknown page wait for its translation; other requests overtake them.
  void add(const MemRequest& request, Cycle now, std::uint32_t saved = 0);
  /// The translation of a page has arrived.
  void translated(std::uint64_t page_address, Cycle now);
  /// Sends the oldest request if it may leave at `now`. True if that made room.
  bool cycle(Cycle now);
  Cycle next_event() const { return starved_ ? port_.ready_at(next_, sending_.front().request.data_bytes) : next_; }
  bool idle() const { return sending_.empty() && waiting_.empty(); }
  /// unsent(): requests that wait to be sent. untranslated(): requests that wait for the translation of their page.
  std::size_t unsent() const { return sending_.size(); }
  std::size_t untranslated() const { return waiting_.size(); }
  /// At the start of a launch, unless translations last for the program.
  void invalidate_translations() {
    if (of_program_) return;
    tlb_.clear();
    gpc_tlb_.clear();
  }
  /// If translations last for the program: the pages that a launch finds known; nullptr: all pages.
  void preload(const std::vector<std::uint64_t>* pages);

  struct Counters {
    std::uint64_t requests = 0, read_sectors = 0, write_sectors = 0;
    std::uint64_t tlb_lookups = 0, tlb_misses = 0, translations = 0;
  };
  const Counters& counters() const { return counters_; }
  void report(stats::CounterValues& values) const;
  void clear_counters() { counters_ = {}; }

  template <class Archive>
  void state(Archive& archive) {
    archive(tlb_, gpc_tlb_, all_known_, last_, sending_, waiting_, pages_, next_, starved_, counters_);
  }

 private:
  struct Sending {
    MemRequest request;
    Cycle ready;
  };
  void enqueue(const MemRequest& request, Cycle ready);
  bool continues(const MemRequest& request, Cycle now);

  SmId sm_;
  Tlb tlb_, gpc_tlb_;
  MemoryPort& port_;
  std::size_t capacity_;
  std::uint32_t latency_, join_, tlb_latency_, gpc_tlb_latency_;
  bool of_program_;         ///< translations last for the program
  bool all_known_ = false;  ///< every page is known in this launch
  struct Last {
    std::uint64_t address = 0;
    std::uint32_t tag = 0;
    bool load = false;
    Cycle time;
  };
  Last last_;  ///< the latest request that the L1 made
  Ring<Sending> sending_;
  std::vector<MemRequest> waiting_;
  std::vector<std::uint64_t> pages_;  ///< pages whose translation has been requested
  Cycle next_ = kNever;
  bool starved_ = false;  ///< the port cannot send; a credit may arrive before those that are on their way
  Counters counters_;
};

}  // namespace sassim::arch
