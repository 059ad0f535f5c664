// SPDX-License-Identifier: Apache-2.0
// A row stays open for later accesses.
#include "arch/memory/dram/row_policy.h"

namespace sassim::arch {
namespace {

class OpenRows final : public DramRowPolicy {
 public:
  bool closes_unwanted() const override { return false; }
};

const Registered<DramRowPolicy, OpenRows> open_rows_registered("open");

}  // namespace
}  // namespace sassim::arch
