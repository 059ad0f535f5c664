// SPDX-License-Identifier: Apache-2.0
// A warp's copies to shared memory that run beside it (LDGSTS), by groups. LDGDEPBAR, or an arrival for copies
// (ARRIVES.LDGSTSBAR), ends the open group; groups end in the order in which they were closed, each when all its copies
// have been written.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/base/types.h"

namespace sassim::arch {

class AsyncGroups {
 public:
  void reset() {
    groups_.clear();
    first_ = counted_ = 0;
  }

  /// A copy joins the open group. Returns what copy_done() wants to hear.
  std::uint32_t copy_issued() {
    if (groups_.empty() || groups_.back().closed) groups_.push_back({});
    ++groups_.back().copies;
    return first_ + static_cast<std::uint32_t>(groups_.size()) - 1;
  }
  void copy_done(std::uint32_t group) { --groups_[group - first_].copies; }

  /// What the end of a group sets free.
  struct End {
    std::uint32_t line = 0;  ///< of the instruction that closed it
    Cycle earliest;          ///< that instruction's own time
  };
  void close(const End& end, bool counted) {
    if (groups_.empty() || groups_.back().closed) groups_.push_back({});
    groups_.back().closed = true;
    groups_.back().end = end;
    counted_ += counted ? 1 : 0;
  }
  /// Of the group that was closed first: its end if all its copies are done, else nullptr.
  const End* finished() const {
    return !groups_.empty() && groups_.front().closed && groups_.front().copies == 0 ? &groups_.front().end : nullptr;
  }
  void pop() {
    groups_.erase(groups_.begin());
    ++first_;
  }
  /// The counter of a group that LDGDEPBAR closed has been released.
  void released() { --counted_; }
  /// Groups whose counters are held: what DEPBAR.LE compares where control bits do not say which counter.
  std::uint32_t held() const { return counted_; }
  /// Calls `visit(group, End)` for groups that have been closed and are not done; `group` as copy_issued() has it.
  template <class Visit>
  void each_closed(Visit visit) const {
    for (std::uint32_t i = 0; i < groups_.size(); ++i)
      if (groups_[i].closed) visit(first_ + i, groups_[i].end);
  }

  template <class Archive>
  void state(Archive& archive) {
    archive(groups_, first_, counted_);
  }

 private:
  struct Group {
    std::uint32_t copies = 0;  ///< under way
    bool closed = false;
    End end;
  };
  std::vector<Group> groups_;  ///< a handful; only the last may be open
  std::uint32_t first_ = 0, counted_ = 0;
};

}  // namespace sassim::arch
