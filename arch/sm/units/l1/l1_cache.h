// SPDX-License-Identifier: Apache-2.0
// The L1 data cache with tag stage, data stage and pending requests: write-through, sectored, with many outstanding
// misses.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "arch/common/access_observer.h"
#include "arch/network/memory_port.h"
#include "arch/sm/common/data_stage.h"
#include "arch/sm/common/event_queue.h"
#include "arch/sm/units/l1/coalescer.h"
#include "arch/sm/units/l1/l1_counters.h"
#include "arch/sm/units/l1/l1_tags.h"
#include "arch/sm/units/l1/live_lines.h"
#include "arch/sm/units/l1/miss_path.h"
#include "arch/sm/units/l1/pending_requests.h"
#include "arch/sm/units/l1/request_pieces.h"
#include "arch/sm/units/l1/store_buffer.h"
#include "sim/base/wait_graph.h"
#include "sim/config/gpu_config.h"

namespace sassim::arch {

enum class L1Mode : std::uint8_t { load, store, atomic, reduction, async };

class L1Cache {
 public:
  L1Cache(const config::Sm& sm, MemoryPort& port, DataStage& data, EventQueue& events, SmId id = SmId{});

  /// Gives the L1 the part of the array that shared memory does not use. Keeps the contents only if `keep` is set and
  /// the size does not change. Throws InputError if the rest is not a whole number of lines.
  void configure(std::uint64_t carveout_bytes, bool keep);

  /// Pages whose translations a launch finds (MissPath::know).
  void know(const std::vector<std::uint64_t>* pages) { misses_.know(pages); }

  /// Invalidates all lines: later loads use neither a cached line nor one in flight.
  void forget();

  /// Memory that the live warps of the next kernel read; nullptr: the kernel is a replay.
  void start_live(const trace::LiveMemory* memory) { live_.start(memory); }
  /// A live access to global memory has issued; accept() receives it later.
  void begin(trace::LiveAccess& access, bool past_l1) { live_.begin(access, past_l1, *tags_); }
  /// Between epochs: a request of live accesses has reached the memory.
  void serve(const MemRequest& request);

  /// The observer of every line lookup; nullptr: none.
  void observe(AccessObserver* observer) { observer_ = observer; }

  bool can_accept() const { return queue_.size() < queue_capacity_; }
  bool queue_empty() const { return queue_.empty(); }
  /// `extra_data`: more cycles of the data stage once the data are there (LDGSTS writes shared memory). The returned
  /// lines are valid until the next call.
  const LineAccesses& accept(const UnitOp& op, L1Mode mode, Cycle now, std::uint32_t extra_data);
  void reply(const MemReply& reply, Cycle now);
  void cycle(Cycle now);
  Cycle next_event() const { return std::min({next_tags_, misses_.next_event(), next_store()}); }
  bool idle() const { return in_flight_ == 0 && misses_.idle(); }
  /// Adds to the graph what this cache waits for, and the memory stage if the queue of the cache is full.
  void describe_waits(WaitGraph& graph, WaitGraph::Node stage) const;

  const L1Counters& counters() const { return counters_; }
  void report(stats::MetricSet& metrics) const {
    counters_.report(metrics, !config_.join_parts);
    misses_.report(metrics);
  }
  void clear_counters() {
    counters_ = {};
    misses_.clear_counters();
  }
  std::uint32_t lines() const { return tags_->lines(); }

  /// After configure() for the same launch. Of launches whose warps are not live.
  template <class Archive>
  void state(Archive& archive) {
    archive(size_, misses_, pending_, *tags_, stores_, stores_come_until_, slots_, free_slots_, queue_, ops_);
    archive(free_op_, in_flight_, sectors_in_flight_, hits_until_, next_tags_, bytes_written_, counters_);
  }

 private:
  struct InFlight {
    OpToken token;
    std::uint32_t waits = 0;     ///< lines that have not arrived, plus one until the tag stage is done
    std::uint32_t hit_tail = 0;  ///< cycles from the data stage to a dependent instruction, on a hit
    std::uint32_t data_cycles = 0;
    std::uint32_t words_cycles =
        0;  ///< data_cycles without bank conflicts: for misses, whose conflicts are resolved as the lines arrive
    std::uint32_t conflicts = 0;   ///< passes of the data stage beyond the first
    std::uint32_t returns = 0;     ///< cycles to return the registers after the first one
    std::uint32_t extra_data = 0;  ///< more cycles of the data stage, which do not delay the data
    L1Mode mode = L1Mode::load;
    bool missed = false;
    Cycle first_pass;
    std::uint32_t next = 0;  ///< next free entry
    trace::LiveAccess* live = nullptr;

    template <class Archive>
    void state(Archive& archive) {
      archive(token, waits, hit_tail, data_cycles, words_cycles, conflicts, returns, extra_data, mode, missed,
              first_pass);
      archive(next);
    }
  };
  struct Queued {
    std::uint32_t op = 0, pc = 0;
    L1Traffic traffic = L1Traffic::global_load;
    bool bypass = false, system_scope = false, evicts_first = false, floating = false, compares = false;
    bool which_bytes = false;  ///< `accesses` has the bytes of each line
    std::uint8_t access_bytes = 4;
    std::uint32_t position = 0;  ///< the next line to look up
    Cycle ready;
    LineAccesses accesses;
  };

  std::uint32_t allocate(const UnitOp& op, L1Mode mode, std::uint32_t extra_data, const LineAccesses& accesses);
  void tag_stage(Cycle now);
  void finish(const Queued& queued, Cycle now);
  bool sectors_fit(std::uint64_t more) const {
    return config_.pending_sectors == 0 ||
           sectors_in_flight_ + more <= std::max<std::uint64_t>(config_.pending_sectors, more);
  }
  Cycle next_pass(Cycle now) const;
  LineUse use(const Queued& queued, Cycle now) const;
  bool look_up(Queued& queued, const LineAccess& line, Cycle now);
  void observe(const Queued& queued, const LineAccess& line);
  std::uint8_t repeated(const LineAccess& line, std::uint8_t in_flight, std::uint8_t fresh) const;
  void wait_for(std::uint32_t entry, std::uint32_t op, std::uint8_t sectors);
  void ask(const Queued& queued, const LineAccess& line, std::uint32_t entry, std::uint8_t wanted, std::uint32_t saved,
           std::uint64_t live_order, Cycle now);
  void serve_store(std::uint32_t op, const MemRequest& request);
  bool look_up_load(const Queued& queued, const LineAccess& line, Cycle now);
  bool write_line(const Queued& queued, const LineAccess& line, Cycle now);
  bool atomic_line(const Queued& queued, const LineAccess& line, Cycle now);
  std::uint16_t operand_bytes(const Queued& queued, const LineAccess& line) const;
  void send_written(const LineAccess& line, const MemRequest& whole, std::uint32_t op, Cycle now);
  bool gather(const Queued& queued, const LineAccess& line, Cycle now);
  void send_oldest_store(Cycle now);
  Cycle next_store() const;
  void part_done(std::uint32_t op, Cycle now);
  void complete(InFlight& op, Cycle now);
  void retry(Cycle now) {
    if (!queue_.empty() && next_tags_ == kNever) next_tags_ = now + 1;
  }

  config::L1Config config_;
  std::uint32_t before_accept_, vector_address_, vector_result_, async_latency_;
  std::uint32_t pass_latency_, return_cycles_, pass_cycles_;
  std::size_t queue_capacity_;
  Coalescer coalescer_;
  RequestPieces pieces_;
  DataStage& data_;
  EventQueue& events_;
  MissPath misses_;
  PendingRequests pending_;
  LiveLines live_;
  std::unique_ptr<L1Tags> tags_;
  std::uint64_t size_ = 0;
  StoreBuffer stores_;
  Cycle stores_come_until_{};  ///< until then the tag stage is busy with lines of a store
  std::vector<Queued> slots_;  ///< instructions, which queue_ names by index
  std::vector<std::uint32_t> free_slots_;
  Ring<std::uint32_t> queue_;
  std::vector<InFlight> ops_;
  std::uint32_t free_op_ = PendingRequests::kNone;
  std::uint32_t in_flight_ = 0;
  std::uint64_t sectors_in_flight_ = 0;
  Cycle hits_until_;  ///< until then hits and stores occupy the data stage
  Cycle next_tags_ = kNever;
  bool write_allocate_, allocate_on_miss_;
  bool bytes_written_ = false;  ///< a store has written a sector in part
  L1Counters counters_;
  AccessObserver* observer_ = nullptr;
  SmId sm_;
};

}  // namespace sassim::arch
