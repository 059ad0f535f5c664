// SPDX-License-Identifier: Apache-2.0
// The L2 TLB, which all SMs share, and the walks of the page table behind it. A walk's loads go through L2 and DRAM
// like any other. Times are SM cycles.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "arch/cache/tlb.h"
#include "arch/common/component.h"
#include "arch/common/fifo.h"
#include "arch/common/link.h"
#include "arch/common/messages.h"
#include "arch/common/timed_inbox.h"
#include "arch/memory/partition.h"
#include "sim/config/gpu_config.h"
#include "sim/stats/metrics.h"

namespace sassim::arch {

class Translator final : public Component {
 public:
  explicit Translator(const config::Memory& config);

  void advance(Cycle until) override;
  Cycle next_event() const override;

  // between epochs
  void deliver(const MemRequest& request) { requests_.add(request); }
  void deliver(const MemReply& loaded) { loaded_.add(loaded); }
  void settle(Cycle now);
  std::vector<MemReply>& replies() { return replies_; }
  std::vector<MemRequest>& sent() { return sent_; }
  std::vector<Partition::Credit>& credits() { return credits_; }

  void start_kernel(bool keep_caches);
  bool idle() const { return requests_.empty() && loaded_.empty() && walks_.empty(); }
  void check_conservation() const;
  void report(stats::MetricSet& metrics) const;
  std::string waiting() const;

 private:
  struct Walk {
    std::uint32_t level = 0;  ///< the next load is of this level; 0 is the last
    std::vector<MemRequest> waiting;
  };

  void look_up(const MemRequest& request, Cycle now);
  void load(std::uint64_t page, Walk& walk, Cycle now);
  void step(const MemReply& loaded);
  void finish(std::uint64_t page, Cycle now);
  void reply(const MemRequest& request, Cycle time);

  config::TlbConfig config_;
  std::uint32_t walk_latency_, levels_, walkers_;
  config::CrossbarConfig crossbar_;
  Tlb tlb_;
  Link lookups_;  ///< as many per cycle as the TLB has ports
  TimedInbox<MemRequest, RequestOrder> requests_;
  TimedInbox<MemReply, ReplyOrder> loaded_;
  std::unordered_map<std::uint64_t, Walk> walks_;  ///< by page; never iterated over
  Fifo<std::uint64_t> waiting_for_walker_;
  std::vector<std::uint64_t> loads_;  ///< the page of each load under way, by tag
  std::vector<std::uint32_t> free_loads_;
  std::uint32_t walking_ = 0;
  std::vector<MemReply> replies_;
  std::vector<MemRequest> sent_;
  std::vector<Partition::Credit> credits_;
  std::uint32_t reply_sequence_ = 0, request_sequence_ = 0;
  std::uint64_t hits_ = 0, misses_ = 0, merged_ = 0, walks_done_ = 0, asked_ = 0, answered_ = 0;
};

}  // namespace sassim::arch
