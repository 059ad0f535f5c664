// SPDX-License-Identifier: Apache-2.0
// The place where the requests of a GPC's SMs meet on their way to the L2, and where their loads may merge: loads of
// the same sectors that arrive within a short time continue as one request; its reply goes to every SM that sent one of
// them. Other requests pass unchanged. Messages carry the time at which they pass here; the network adds the rest of
// their path. Times are SM cycles.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/common/component.h"
#include "arch/common/state_parts.h"
#include "arch/common/timed_inbox.h"
#include "arch/network/messages.h"
#include "sim/config/groups/crossbar.h"
#include "sim/stats/counter_values.h"

namespace sassim::arch {

class LoadMerger final : public Component {
 public:
  /// `lookahead`: the longest epoch. A reply leaves at least this long after the last load may have joined.
  LoadMerger(const config::CrossbarConfig& config, Cycle lookahead);

  /// True for loads, unless the configuration excludes them: those of system scope, and parts of split copies.
  bool may_merge(const MemRequest& request) const {
    return request.kind == RequestKind::load && most(request) > 1 &&
           (config_.merge.split_copies || !request.load.split_copy);
  }
  void advance(Cycle until) override;
  Cycle next_event() const override;

  // between epochs
  void deliver(const MemRequest& request) { requests_.add(request); }
  /// The reply to a load that passed here; `now` as in Network::exchange().
  void deliver(const MemReply& reply, Cycle now);
  /// Sorts what has been delivered, none of which may be due before `now`.
  void settle(Cycle now);
  std::vector<MemRequest>& sent() { return sent_; }
  std::vector<MemReply>& replies() { return replies_; }
  std::vector<Credit>& credits() { return credits_; }
  void clear_sent() {
    sent_.clear();
    replies_.clear();
    credits_.clear();
  }

  void start_kernel() { merged_requests_ = merged_sectors_ = 0; }
  bool idle() const { return requests_.empty() && held_.empty() && open_ == 0; }
  void report(stats::CounterValues& values) const;
  template <class Archive>
  void state(Archive& archive) {
    archive(requests_, held_, loads_, joined_, free_load_, free_joined_, open_);
    state_of_fixed(archive, recent_);
    archive(sent_, replies_, credits_, merged_requests_, merged_sectors_);
  }

 private:
  static constexpr std::uint32_t kNone = ~0u;
  static constexpr std::size_t kRecent = 4096;
  static constexpr std::uint8_t kWholeLine = 0b1111;
  struct Load {
    Cycle time{};                 ///< when the load passed
    std::uint32_t count = 0;      ///< merged loads, this one included
    std::uint32_t first = kNone;  ///< the first load that joined
    std::uint32_t next = 0;       ///< next free entry
  };
  struct Joined {
    Endpoint from;
    std::uint8_t client = 0;
    std::uint32_t tag = 0, next = 0;
  };
  struct Recent {
    std::uint64_t address = ~std::uint64_t{0};
    std::uint8_t sectors = 0;
    std::uint32_t load = 0;
    Cycle time{};
  };
  /// A reply that arrived while other loads may still join.
  struct Held {
    Cycle time{};
    MemReply reply;
  };
  struct HeldOrder {
    bool operator()(const Held& a, const Held& b) const {
      return a.time != b.time ? a.time < b.time : ReplyOrder{}(a.reply, b.reply);
    }
  };

  /// The most loads that may become one request with this one.
  std::uint32_t most(const MemRequest& request) const {
    if (!request.load.system_scope || config_.merge.system) return config_.merge.most;
    return request.sectors == kWholeLine ? config_.merge.system_lines : 1;
  }
  void pass(MemRequest request);
  bool join(const MemRequest& request);
  void give_out(const MemReply& reply);

  config::CrossbarConfig config_;
  Cycle lookahead_;
  TimedInbox<MemRequest, RequestOrder> requests_;
  TimedInbox<Held, HeldOrder> held_;
  std::vector<Load> loads_;
  std::vector<Joined> joined_;
  std::uint32_t free_load_ = kNone, free_joined_ = kNone;
  std::size_t open_ = 0;
  std::vector<Recent> recent_;
  std::vector<MemRequest> sent_;
  std::vector<MemReply> replies_;
  std::vector<Credit> credits_;
  std::uint64_t merged_requests_ = 0, merged_sectors_ = 0;
};

}  // namespace sassim::arch
