// SPDX-License-Identifier: Apache-2.0
// The DRAM schedulers that a configuration can name (memory.dram.scheduler): fcfs and fr_fcfs.
#include "arch/memory/dram/scheduler.h"

namespace sassim::arch {
namespace {

/// First come, first served, strictly.
class FirstCome final : public DramScheduler {
 public:
  bool prefers_open_row() const override { return false; }
  bool only_oldest() const override { return true; }
  bool before(const DramCandidate& a, const DramCandidate& b) const override { return a.arrival < b.arrival; }
};

const Registered<DramScheduler, FirstCome> first_come_registered("fcfs");

/// First ready, first come: data from open rows first, the oldest of equals (Rixner et al., ISCA 2000).
class FirstReady final : public DramScheduler {
 public:
  bool prefers_open_row() const override { return true; }
  bool only_oldest() const override { return false; }
  bool before(const DramCandidate& a, const DramCandidate& b) const override {
    return a.column != b.column ? a.column : a.arrival < b.arrival;
  }
};

const Registered<DramScheduler, FirstReady> first_ready_registered("fr_fcfs");

}  // namespace
}  // namespace sassim::arch
