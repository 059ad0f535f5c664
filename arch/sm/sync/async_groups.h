// SPDX-License-Identifier: Apache-2.0
// The copies to shared memory that run beside a warp (LDGSTS), in groups. LDGDEPBAR, or an arrival for copies
// (ARRIVES.LDGSTSBAR), closes the open group. Groups end in the order in which they were closed, each when all its
// copies have been written.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/common/indices.h"
#include "sim/base/types.h"

namespace sassim::arch {

class AsyncGroups {
 public:
  void reset() {
    groups_.clear();
    first_ = counted_ = 0;
  }

  /// A copy joins the open group. Returns the group, which copy_done() takes.
  std::uint32_t copy_issued() {
    if (groups_.empty() || groups_.back().closed) groups_.push_back({});
    ++groups_.back().copies;
    return first_ + static_cast<std::uint32_t>(groups_.size()) - 1;
  }
  void copy_done(std::uint32_t group) { --groups_[group - first_].copies; }

  /// What happens when a group ends.
  struct End {
    CodeLine line = {};  ///< line of the instruction that closed the group
    Cycle earliest;      ///< the group does not end before
  };
  void close(const End& end, bool counted) {
    if (groups_.empty() || groups_.back().closed) groups_.push_back({});
    groups_.back().closed = true;
    groups_.back().end = end;
    counted_ += counted ? 1 : 0;
  }
  /// The end of the group that was closed first, if all its copies are done; else nullptr.
  const End* finished() const {
    return !groups_.empty() && groups_.front().closed && groups_.front().copies == 0 ? &groups_.front().end : nullptr;
  }
  void pop() {
    groups_.erase(groups_.begin());
    ++first_;
  }
  /// The counter of a group that LDGDEPBAR closed has been decremented.
  void released() { --counted_; }
  /// Groups whose counters are held. DEPBAR.LE compares this number if no control bits name the counter.
  std::uint32_t held() const { return counted_; }
  /// Calls `visit(group, End)` for groups that are closed and not done; `group` is the value of copy_issued().
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
    std::uint32_t copies = 0;  ///< copies in flight
    bool closed = false;
    End end;
  };
  std::vector<Group> groups_;  ///< few; only the last one may be open
  std::uint32_t first_ = 0, counted_ = 0;
};

}  // namespace sassim::arch
