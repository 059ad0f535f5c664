// SPDX-License-Identifier: Apache-2.0
// The interface of DRAM schedulers, which choose the waiting access of a channel that gets the next command. A policy
// is one class that registers itself, as in schedulers.cpp.
#pragma once

#include <cstdint>

#include "sim/base/registry.h"
#include "sim/base/types.h"

namespace sassim::arch {

/// The next command that a bank could execute for one of its accesses.
struct DramCandidate {
  DramCycle ready;            ///< when this command may issue
  std::uint64_t arrival = 0;  ///< order of arrival in the channel
  bool column = false;        ///< the command moves data: the row is open
};

class DramScheduler {
 public:
  static constexpr const char* kKind = "DRAM scheduler";
  virtual ~DramScheduler() = default;
  /// True if a younger access to the open row may overtake older ones of its bank.
  virtual bool prefers_open_row() const = 0;
  /// True if all accesses wait for the oldest access of the channel.
  virtual bool only_oldest() const = 0;
  /// True if `a` comes before `b` when both are ready.
  virtual bool before(const DramCandidate& a, const DramCandidate& b) const = 0;
};

using DramSchedulers = Registry<DramScheduler>;

}  // namespace sassim::arch
