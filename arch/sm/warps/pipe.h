// SPDX-License-Identifier: Apache-2.0
// A pipe of a processing block: the input of an execution unit, which the block may share with others. It knows when it
// accepts the next instruction, and for how many cycles it has accepted none. A unit stores no instruction: start and
// result times are known at issue.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "sim/base/types.h"

namespace sassim::arch {

/// The cycles during which a resource refuses instructions. Their number up to any cycle is exact without a count per
/// cycle.
class Occupied {
 public:
  Cycle free_at() const { return until_; }
  bool busy(Cycle now) const { return from_ <= now && now < until_; }
  /// Busy cycles before `now`.
  std::uint64_t before(Cycle now) const {
    return past_ + (now > from_ ? std::min(now, until_).value - from_.value : 0);
  }
  /// Refuses instructions in [from, until); `from` is not before the end of the previous interval.
  void refuse(Cycle from, Cycle until) {
    if (until <= from) return;
    past_ += until_.value - from_.value;
    from_ = from;
    until_ = until;
  }
  /// Ends an open interval (one whose `until` was kNever).
  void release(Cycle at) { until_ = std::max(at, from_); }

  template <class Archive>
  void state(Archive& archive) {
    archive(past_, from_, until_);
  }

 private:
  std::uint64_t past_ = 0;
  Cycle from_, until_;
};

/// The execution unit behind one or several inputs.
struct Unit {
  Cycle free_at;
};

class Pipe {
 public:
  static constexpr std::uint32_t kMaxQueue = 16;

  /// `unit` belongs to the processing block or is shared by the SM; `queue` instructions may wait in front of it.
  void connect(Unit& unit, std::uint32_t queue) {
    unit_ = &unit;
    queue_ = std::min(queue, kMaxQueue);
  }

  Occupied& input() { return input_; }
  const Occupied& input() const { return input_; }

  /// Accepts an instruction that issued at `now` and leaves Allocate `hold` cycles late. Returns the cycle from which
  /// the latency of its result counts.
  Cycle occupy(Cycle now, std::uint64_t hold, std::uint32_t interval) {
    const Cycle start = occupy_more(now + hold, interval);
    if (queue_ == 0) {
      input_.refuse(now + 1, unit_->free_at);
    } else {
      starts_[issued_++ % queue_] = start;
      input_.refuse(now + 1, starts_[issued_ % queue_]);
    }
    return start;
  }

  /// Adds work of an instruction that the unit has accepted. Returns the cycle in which that work starts.
  Cycle occupy_more(Cycle now, std::uint32_t interval) {
    const Cycle start = std::max(now, unit_->free_at);
    unit_->free_at = start + interval;
    busy_ += interval;
    return start;
  }

  /// Cycles for which instructions of this input have occupied the unit.
  std::uint64_t busy() const { return busy_; }
  void clear_counters() { busy_ = 0; }

  template <class Archive>
  void state(Archive& archive) {
    archive(issued_, busy_, input_, starts_);
  }

 private:
  Unit* unit_ = nullptr;
  std::uint32_t queue_ = 0;
  std::uint32_t issued_ = 0;
  std::uint64_t busy_ = 0;
  Occupied input_;
  std::array<Cycle, kMaxQueue> starts_{};
};

}  // namespace sassim::arch
