// SPDX-License-Identifier: Apache-2.0
// One slice of the L2: sectored, write-back, with misses merged per line and atomics executed at the data. Requests of
// an input are served in order of arrival. A request that cannot be served (no pending entry, no victim, or the write
// queue is full) blocks the requests behind it. Times are L2 cycles.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "arch/cache/tag_array.h"
#include "arch/common/fifo.h"
#include "arch/common/indices.h"
#include "arch/common/state_parts.h"
#include "arch/memory/atomic_unit.h"
#include "arch/memory/gpc_reads.h"
#include "arch/memory/l2_counters.h"
#include "arch/memory/l2_sets.h"
#include "arch/memory/slice_request.h"
#include "arch/network/link.h"
#include "arch/network/messages.h"
#include "arch/network/slice_port.h"
#include "sim/config/forward.h"
#include "sim/config/groups/halves.h"
#include "sim/config/groups/l2.h"

namespace sassim::arch {

class L2Slice {
 public:
  /// The functions of the partition that a slice uses.
  class Links {
   public:
    virtual ~Links() = default;
    /// The reply leaves the slice at `time`, after the latency of the array.
    virtual void reply(SliceId slice, const MemRequest& request, L2Cycle time) = 0;
    /// The request has left the input queue.
    virtual void credit(const MemRequest& request, L2Cycle time) = 0;
    /// Fetches sectors of a line from DRAM or, for a copy, from the home slice. filled() then returns `pending`.
    virtual void fetch(SliceId slice, const SliceRequest& cause, std::uint16_t sectors, std::uint32_t pending,
                       L2Cycle time) = 0;
    virtual void write_back(SliceId slice, LineAddress line, std::uint16_t sectors, L2Cycle time) = 0;
    /// True if there is room for a write to DRAM.
    virtual bool can_write_back(SliceId slice) const = 0;
    /// Sends a store of a line of the other half, which has waited in this slice, on to the line's home.
    virtual void pass_on(SliceId slice, const SliceRequest& store, L2Cycle time) = 0;
    /// A line was written of which the other half keeps a copy.
    virtual void invalidate_copy(SliceId slice, const SliceRequest& cause, L2Cycle time) = 0;
  };

  L2Slice(const config::Memory& memory, SliceId index, Links& links);

  void arrive(SliceRequest request, L2Cycle now);
  /// True if a store to a line of the other half has to wait here, in order: data of the copy are on their way.
  bool holds(const SliceRequest& store) const {
    return halves_.hold_stores && store.request.kind == RequestKind::store &&
           (tally_.held_stores > 0 || in_flight(store));
  }
  SlicePort& port() { return port_; }
  /// When the oldest request can be served; kNeverL2 if there is none, or if it waits for a fill or for DRAM.
  L2Cycle next_event() const {
    const L2Cycle a = ready(inputs_[0]), b = ready_from_slices();
    return a < b ? a : b;
  }
  void work(L2Cycle now);
  /// A store to a line of the other half passes: it looks for the copy here, which takes a cycle. That of a
  /// reduction is hidden behind the atomic unit.
  void let_pass(L2Cycle now) { busy_until_ = (busy_until_ > now ? busy_until_ : now) + 1; }
  /// `request` changes a line whose home is in the other half: invalidates the copy in this slice.
  void drop_copy(const SliceRequest& request);
  /// A store passes this slice on its way to the line's home: whole sectors that it writes become valid in the copy
  /// here.
  void write_copy(const SliceRequest& request, L2Cycle now);
  /// Sectors that fetch() requested have arrived.
  void filled(std::uint32_t pending, std::uint16_t sectors, L2Cycle now);
  /// There may be room again in the write queue of DRAM or among the pending entries.
  void unblock(L2Cycle now) {
    for (Input& input : inputs_) input.blocked = false;
    busy_until_ = busy_until_ > now ? busy_until_ : now;
  }
  /// True if requests wait for room in DRAM's write queue.
  bool waits_for_writes() const { return blocked_by_writes_ && (inputs_[0].blocked || inputs_[1].blocked); }

  /// Bytes of valid sectors, and again of dirty ones.
  std::uint64_t held_bytes() const;

  void clear();
  /// Fills an empty slice with dirty lines, numbered from `first` on.
  void fill_with_written(std::uint64_t first);
  /// Fills an empty slice with lines of other programs, numbered from `first` on; each `apart`th of them is dirty.
  /// `full`: the others remain, too, as clean lines.
  void fill_with_others(std::uint64_t first, std::uint64_t apart, bool full);
  /// Between kernels: the whole line, whose home is here, is in the slice now; `dirty`: DRAM does not have the data.
  /// `ways`: other lines displace it first, and where so many ways of a full set have such lines, it displaces one of
  /// these; 0: it is an ordinary line.
  void preload(LineAddress line, bool dirty, std::uint32_t ways);
  /// Before a kernel starts: reads the line, whose home is here. Returns the number of its sectors that came from DRAM.
  std::uint32_t read_line(LineAddress line);
  void invalidate_copy(LineAddress line);
  bool idle() const { return queued() == 0 && pending() == 0; }
  std::size_t queued() const { return inputs_[0].queue.size() + inputs_[1].queue.size(); }
  std::size_t pending() const { return pending_.size() - free_pending_.size(); }
  const L2Counters& counters() const { return counters_; }
  void clear_counters() {
    counters_ = {};
    gpc_reads_.clear();
  }
  template <class Archive>
  void state(Archive& archive) {
    archive(tags_);
    state_of_fixed(archive, lines_, pending_);
    archive(rare_);
    if constexpr (Archive::kLoading)
      for (const Line& line : lines_)
        if (line.rare != kNoRare && line.rare >= rare_.size()) archive.damaged("a line of the L2 has no such bytes");
    archive(free_pending_, inputs_, port_, array_, busy_until_, atomics_, blocked_by_writes_, counters_, gpc_reads_);
    archive(tally_.held_stores, tally_.leaving_first);
  }

 private:
  static constexpr std::uint32_t kNoPending = ~0u, kNoRare = ~0u;

  /// Whole lines, numbered from `first` on, come to each place of an empty slice. `dirty(place)` says whether a line is
  /// dirty, given its place in the set, from 0 for the line that came first, or (nothing) that its place stays empty.
  template <class Dirty>
  void fill_with_lines(std::uint64_t first, Dirty dirty);

  /// Whether a line leaves first: others displace it before they displace ordinary lines, while it is clean. What the
  /// line was used for last decides: an access with evict_first, or a copy from the host.
  enum class Leaving : std::uint8_t { ordinary, evict_first, upload };

  struct Line {
    std::uint16_t valid = 0;  ///< sectors that can be read
    std::uint16_t dirty =
        0;  ///< sectors to write back; if such a sector is not valid, only some of its bytes are known
    std::uint16_t merged = 0;  ///< valid sectors that several stores have filled
    bool copied = false;       ///< the other half may keep a copy
    Leaving leaving = Leaving::ordinary;
    std::uint32_t pending = kNoPending;
    std::uint32_t rare = kNoRare;  ///< in rare_
  };
  struct Tally {
    std::uint32_t held_stores = 0;    ///< stores among the requests that wait to be sent on to the other half
    std::uint32_t leaving_first = 0;  ///< lines that are not ordinary
  };
  /// What only lines of atomics and of partly written sectors need. Lines are many, and the host's caches small.
  struct Rare {
    L2Cycle changed_at;                      ///< when the result of the last atomic can be read
    L2Cycle invalidated;                     ///< when the last invalidation of the line's copy is over
    std::array<std::uint64_t, 2> written{};  ///< bytes that stores have written to sectors that are not valid
  };
  struct Pending {
    std::size_t line = 0;
    std::uint16_t sectors = 0;  ///< sectors in flight
    bool write_back = false;    ///< write the line back when the sectors have arrived
    std::vector<SliceRequest> waiting;
  };

  /// Requests from the other half have their own queue, and some pending entries and ways are reserved for lines whose
  /// home is here. Otherwise two slices could wait for each other's lines forever.
  struct Input {
    Fifo<SliceRequest> queue;
    bool blocked = false;  ///< the oldest request could not be served, and the reason still holds
  };

  /// Requests from the other half go first, but do not overtake earlier atomics on the same line.
  L2Cycle ready_from_slices() const {
    const Fifo<SliceRequest>&first = inputs_[0].queue, &second = inputs_[1].queue;
    if (!first.empty() && !second.empty() && !inputs_[0].blocked && is_atomic(first.front()) &&
        first.front().arrived <= second.front().arrived && tag_of(first.front()) == tag_of(second.front()))
      return kNeverL2;
    return ready(inputs_[1]);
  }
  L2Cycle ready(const Input& input) const {
    if (input.queue.empty() || input.blocked) return kNeverL2;
    const SliceRequest& head = input.queue.front();
    const L2Cycle start = head.ready > busy_until_ ? head.ready : busy_until_;
    return is_atomic(head) && atomics_.free_at() > start ? atomics_.free_at() : start;
  }
  std::uint16_t whole_line() const { return static_cast<std::uint16_t>((1u << config_.line / kSectorBytes) - 1); }
  std::uint64_t tag_of(const SliceRequest& r) const { return LineTag{r.line, r.copy}.code(); }
  std::size_t set_of(LineAddress line, bool copy) const { return sets_.of(line, copy); }
  std::size_t set_of(const SliceRequest& r) const { return set_of(r.line, r.copy); }
  static LineUse use(const SliceRequest& r, L2Cycle now) {
    return {r.request.kind, r.request.pc, r.request.sm, now.value};
  }
  static bool is_held(const SliceRequest& r) { return r.copy && r.request.kind == RequestKind::store; }
  bool in_flight(const SliceRequest& r) const;
  bool serve(const SliceRequest& request, L2Cycle now);
  bool pass_on(const SliceRequest& store, L2Cycle now);
  bool read(const SliceRequest& request, L2Cycle now);
  bool write(const SliceRequest& request, L2Cycle now);
  bool miss(const SliceRequest& request, std::size_t line, L2Cycle now);
  static std::uint16_t fetched_before(const SliceRequest& request, const Pending& entry);
  std::size_t allocate(const SliceRequest& request, L2Cycle now);
  std::uint32_t copies_in_flight(std::size_t set) const;
  std::size_t place_between_kernels(LineAddress line);
  std::size_t place_upload(LineAddress line, std::uint32_t ways);
  /// An empty way, else that of a clean line that leaves first, else that of the policy's victim. A line of an access
  /// with evict_first displaces another such line before one that was copied from the host.
  template <class Movable>
  std::size_t choose(std::size_t set, std::uint64_t tag, const LineUse& use, bool evicts_first, Movable movable) {
    std::size_t line = TagArray::kNone;
    const auto own = [&](std::size_t i) {
      return lines_[i].leaving == Leaving::evict_first && leaves_first(i) && movable(i);
    };
    const auto any = [&](std::size_t i) { return leaves_first(i) && movable(i); };
    if (tally_.leaving_first != 0 && evicts_first) line = tags_.choose(set, tag, use, own);
    if (tally_.leaving_first != 0 && line == TagArray::kNone) line = tags_.choose(set, tag, use, any);
    return line == TagArray::kNone ? tags_.choose(set, tag, use, movable) : line;
  }
  bool leaves_first(std::size_t line) const {
    return lines_[line].leaving != Leaving::ordinary && lines_[line].dirty == 0;
  }
  void used(std::size_t line, const LineUse& use, Leaving leaving = Leaving::ordinary) {
    tags_.used(line, use);
    set_leaving(line, leaving);
  }
  void used(std::size_t line, const SliceRequest& request, L2Cycle now) {
    used(line, use(request, now), request.request.evicts_first ? Leaving::evict_first : Leaving::ordinary);
  }
  void set_leaving(std::size_t line, Leaving leaving) {
    tally_.leaving_first -= lines_[line].leaving != Leaving::ordinary ? 1 : 0;
    tally_.leaving_first += leaving != Leaving::ordinary ? 1 : 0;
    lines_[line].leaving = leaving;
  }
  void evict(std::size_t line, L2Cycle now);
  /// The line holds nothing of what it held.
  void reset(Line& line) {
    if (line.rare != kNoRare) rare_[line.rare] = {};
    line = Line{.rare = line.rare};
  }
  Rare& rare(Line& line) {
    if (line.rare == kNoRare) {
      line.rare = static_cast<std::uint32_t>(rare_.size());
      rare_.emplace_back();
    }
    return rare_[line.rare];
  }
  // dirty_lines.cpp
  bool may_become_dirty(const SliceRequest& request, std::size_t line) const;
  void note_bytes(const SliceRequest& request, Line& line);
  void limit_dirty(std::size_t line, L2Cycle now);
  template <class Counts>
  void limit(std::size_t line, std::uint32_t most, Counts counts, L2Cycle now);
  void write_back(std::size_t line, L2Cycle now);
  void clean(std::size_t line, L2Cycle now);
  void start_fill(std::size_t line, std::uint16_t sectors, bool write_back);
  void count_lookup(const SliceRequest& request, std::uint16_t hit);
  void count_fetch(const SliceRequest& request, std::uint64_t sectors);
  L2Counters::Lookups& source(const MemRequest& request);
  std::uint16_t widen(std::uint16_t wanted, const Line& line) const;
  void finish(const SliceRequest& request, Line& line, L2Cycle now);
  std::uint64_t operate(const SliceRequest& request, Line& line, L2Cycle now);
  std::uint64_t sector_bytes(std::uint16_t sectors) const;
  std::uint64_t write_time(const SliceRequest& r, Line& line, L2Cycle now);
  std::uint64_t wait_for_invalidation(Line& line, L2Cycle now);
  L2Cycle occupy(L2Cycle now, std::uint64_t bytes);
  L2Cycle look_up(L2Cycle now, std::uint64_t bytes);
  /// Sectors of which DRAM has bytes that must be read before a write-back.
  std::uint16_t partial(const Line& line) const {
    return static_cast<std::uint16_t>(line.dirty & (~line.valid | (config_.dirty.reread ? line.merged : 0u)));
  }

  config::L2Config config_;
  config::Halves halves_;
  SliceId index_;
  Links& links_;
  L2Sets sets_;
  TagArray tags_;
  std::vector<Line> lines_;
  std::vector<Rare> rare_;
  std::vector<Pending> pending_;
  std::vector<std::uint32_t> free_pending_;
  std::size_t reserved_;         ///< pending entries that only lines whose home is here may use
  std::array<Input, 2> inputs_;  ///< from SMs; from the other half
  SlicePort port_;
  Link<L2Cycle> array_;  ///< the data array
  L2Cycle busy_until_;   ///< until then the last request blocks the next one
  AtomicUnit atomics_;
  bool blocked_by_writes_ = false;
  Tally tally_;
  L2Counters counters_;
  GpcReads gpc_reads_;
};

}  // namespace sassim::arch
