// SPDX-License-Identifier: Apache-2.0
// The row policies of DRAM that a configuration can name (memory.dram.row_policy): open and closed.
#include "arch/memory/dram/row_policy.h"

namespace sassim::arch {
namespace {

/// A row stays open for later accesses.
class OpenRows final : public DramRowPolicy {
 public:
  bool closes_unwanted() const override { return false; }
};

const Registered<DramRowPolicy, OpenRows> open_rows_registered("open");

/// A row is closed as soon as no queued access needs it.
class ClosedRows final : public DramRowPolicy {
 public:
  bool closes_unwanted() const override { return true; }
};

const Registered<DramRowPolicy, ClosedRows> closed_rows_registered("closed");

}  // namespace
}  // namespace sassim::arch
