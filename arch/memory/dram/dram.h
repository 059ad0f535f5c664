// SPDX-License-Identifier: Apache-2.0
// The interface of a DRAM model: one pseudo channel, as the memory partition sees it. Times are cycles of the command
// clock. A model is a class that registers itself under the name that `memory.dram.model` uses.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "arch/memory/dram/outside.h"
#include "sim/base/registry.h"
#include "sim/base/types.h"
#include "sim/config/forward.h"

namespace sassim {
class StateReader;
class StateWriter;
}  // namespace sassim

namespace sassim::config {
class Checker;
}  // namespace sassim::config

namespace sassim::arch {

class DramRefresh;

inline constexpr DramCycle kNeverDram = DramCycle::max();

struct DramAccess {
  std::uint64_t row = 0;
  std::uint32_t bank = 0;    ///< group * banks per group + bank in the group
  std::uint32_t bursts = 1;  ///< column commands for data, all in this row
  std::uint32_t checks = 0;  ///< column commands for check bits
  std::uint64_t piece = 0;   ///< number of the piece of the channel whose check bits are in one burst
  std::uint32_t tag = 0;     ///< of a read: the sender's name for it
  std::uint32_t column = 0;  ///< first byte in the row; only for channels whose data come from outside
  bool write = false;
};

struct DramCounters {
  std::uint64_t reads = 0, writes = 0;  ///< accesses
  std::uint64_t read_bursts = 0, write_bursts = 0, check_bursts = 0;
  std::uint64_t row_hits = 0, row_misses = 0, row_conflicts = 0;
  std::uint64_t refreshes = 0, turnarounds = 0;
  std::uint64_t queue_wait = 0;  ///< cycles from the arrival of reads to their first data, summed
  std::uint64_t busy = 0;        ///< cycles with data on the bus
};

class Dram {
 public:
  static constexpr const char* kKind = "DRAM model";
  /// The receiver of data. `end` is the cycle in which the last data have arrived; it may be in the future.
  class Reader {
   public:
    virtual ~Reader() = default;
    virtual void read_done(std::uint32_t tag, DramCycle end) = 0;
  };

  virtual ~Dram() = default;
  /// Cycles of a read from its arrival until its last data, if the channel is idle and no row is open.
  virtual std::uint64_t idle_read(std::uint32_t bursts) const = 0;
  /// nullptr: banks need no refreshes.
  virtual const DramRefresh* refresh() const { return nullptr; }
  /// Refuses values of the model that do not fit each other.
  virtual void check(config::Checker&, const config::GpuConfig&) const {}
  virtual void accept(const DramAccess& access, DramCycle now) = 0;
  /// Whether a memory outside the GPU answers. Then send() appends what the channel has accepted before a cycle and has
  /// not sent yet, and answer() takes the end of each access.
  virtual bool outside() const { return false; }
  virtual void send(DramCycle /*before*/, std::vector<OutsideAccess>& /*to*/) {}
  virtual bool unsent() const { return false; }
  virtual void answer(std::uint32_t /*tag*/, DramCycle /*end*/) { throw std::logic_error("no access was sent"); }
  /// When work() must be called; kNeverDram if the channel is idle.
  DramCycle next_event() const { return next_; }
  virtual void work(DramCycle now, Reader& reader) = 0;
  /// Writes for which the scheduler's queue has no room. While there are many, no more should be sent.
  virtual std::uint64_t writes_waiting() const = 0;
  virtual std::uint64_t accesses_waiting() const = 0;
  /// For checkpoints (sim/base/state_archive.h).
  virtual void save(StateWriter& writer) const = 0;
  virtual void load(StateReader& reader) = 0;
  const DramCounters& counters() const { return counters_; }
  void clear_counters() { counters_ = {}; }
  /// Counts data that were read before a kernel started, which takes no time.
  void count_read(std::uint32_t bursts) {
    counters_.reads += bursts != 0 ? 1 : 0;
    counters_.read_bursts += bursts;
  }

 protected:
  template <class Archive>
  void state_of_all(Archive& archive) {
    archive(counters_, next_);
  }

  DramCounters counters_;
  DramCycle next_ = kNeverDram;
};

/// What a model is made with: the number of the channel on the GPU, which shifts the refreshes of the channels against
/// each other, and the cycle in which it begins, idle, with all rows closed. Its refreshes went on before that.
struct DramStart {
  std::uint32_t channel = 0;
  DramCycle begin{};
};
using Drams = Registry<Dram, const config::DramConfig&, const DramStart&>;

}  // namespace sassim::arch
