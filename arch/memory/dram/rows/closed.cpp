// SPDX-License-Identifier: Apache-2.0
// A row is closed as soon as no queued access needs it.
#include "arch/memory/dram/row_policy.h"

namespace sassim::arch {
namespace {

class ClosedRows final : public DramRowPolicy {
 public:
  bool closes_unwanted() const override { return true; }
};

const Registered<DramRowPolicy, ClosedRows> closed_rows_registered("closed");

}  // namespace
}  // namespace sassim::arch
