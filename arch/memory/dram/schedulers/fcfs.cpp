// SPDX-License-Identifier: Apache-2.0
// First come, first served, strictly.
#include "arch/memory/dram/scheduler.h"

namespace sassim::arch {
namespace {

class FirstCome final : public DramScheduler {
 public:
  bool prefers_open_row() const override { return false; }
  bool only_oldest() const override { return true; }
  bool before(const DramCandidate& a, const DramCandidate& b) const override { return a.arrival < b.arrival; }
};

const Registered<DramScheduler, FirstCome> first_come_registered("fcfs");

}  // namespace
}  // namespace sassim::arch
