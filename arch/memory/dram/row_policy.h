// SPDX-License-Identifier: Apache-2.0
// The interface of row policies of DRAM: what happens to the row of a bank after an access. A policy is one class that
// registers itself under the name that `memory.dram.row_policy` uses.
#pragma once

#include "sim/base/registry.h"

namespace sassim::arch {

class DramRowPolicy {
 public:
  static constexpr const char* kKind = "row policy of DRAM";
  virtual ~DramRowPolicy() = default;
  /// True if the row is closed after an access, unless a queued access needs it.
  virtual bool closes_unwanted() const = 0;
};

using DramRowPolicies = Registry<DramRowPolicy>;

}  // namespace sassim::arch
