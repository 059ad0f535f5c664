// SPDX-License-Identifier: Apache-2.0
// Which of a channel's waiting accesses gets the next command. A policy is one file of schedulers/.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sim/base/types.h"

namespace sassim::arch {

/// What a bank could do next for one of its accesses.
struct DramCandidate {
  DramCycle ready;            ///< when its next command may be issued
  std::uint64_t arrival = 0;  ///< order of arrival in the channel
  bool column = false;        ///< the next command moves data: the row is open
};

class DramScheduler {
 public:
  static constexpr const char* kKind = "DRAM scheduler";
  virtual ~DramScheduler() = default;
  /// May a younger access go first in its bank because its row is open?
  virtual bool prefers_open_row() const = 0;
  /// Must everybody wait for the oldest access of the channel?
  virtual bool only_oldest() const = 0;
  /// Both are ready now: does `a` go before `b`?
  virtual bool before(const DramCandidate& a, const DramCandidate& b) const = 0;

  static std::unique_ptr<DramScheduler> make(const std::string& name);
};

}  // namespace sassim::arch
