// SPDX-License-Identifier: Apache-2.0
// Charges each cycle of a warp and of an issue slot to a stall reason, and reports issued instructions by pipe.
#include "arch/sm/issue/accounts.h"

#include <fmt/format.h>

#include <vector>

#include "arch/sm/issue/refusal.h"
#include "sim/config/groups/issue.h"
#include "sim/config/groups/sm.h"

namespace sassim::arch {

namespace {

/// Where the instructions of a resource count; some pipes of Nsight Compute are several resources.
struct PipeCount {
  Resource resource;
  stats::Count counter;
};

std::vector<PipeCount> pipe_counts() {
  const auto pipe = [](const char* name) {
    return stats::Count(fmt::format("sm__inst_executed_pipe_{}.sum", name), "inst",
                        "warp instructions issued to the pipe");
  };
  const stats::Count adu = pipe("adu"), lsu = pipe("lsu");
  return {{Resource::fma, pipe("fma")},     {Resource::alu, pipe("alu")},
          {Resource::fp16, pipe("fp16")},   {Resource::fp64, pipe("fp64")},
          {Resource::xu, pipe("xu")},       {Resource::tensor, pipe("tensor")},
          {Resource::branch, pipe("cbu")},  {Resource::uniform, pipe("uniform")},
          {Resource::texture, pipe("tex")}, {Resource::adu, adu},
          {Resource::constant, adu},        {Resource::local_global, lsu},
          {Resource::shared, lsu}};
}

std::vector<stats::Count> slot_counts() {
  std::vector<stats::Count> all;
  for (std::size_t i = 0; i < kStallReasons; ++i) {
    const StallRow& row = stall_row(static_cast<StallReason>(i));
    all.emplace_back(fmt::format("sassim__issue_slots_{}.sum", row.name), "cycle",
                     fmt::format("issue slots that went to: {}", row.meaning));
  }
  return all;
}

const struct IssueCounters {
  std::vector<PipeCount> pipes = pipe_counts();
  std::vector<stats::Count> slots = slot_counts();
  stats::Count executed{"smsp__inst_executed.sum", "inst", "warp instructions issued"};
  stats::Count issued{"smsp__inst_issued.sum", "inst", "warp instructions issued; the model issues none a second time"};
  stats::Count warps{"smsp__warps_launched.sum", "warp", "warps that ran"};
} kIssue;

}  // namespace

void Accounts::start_kernel(Cycle now) {
  slots_.clear();
  slots_.start(now);
  slots_.idle(StallReason::no_warp);
  issued_ = warp_cycles_ = warps_ = 0;
  issued_to_.fill(0);
}

Accounts::Open Accounts::open(const ResidentWarp& warp, Cycle now) const {
  const std::uint64_t cycles = now.value - warp.since.value;
  if (warp.reason != StallReason::not_selected) return {0, 0, cycles};
  const std::uint64_t busy = pipes_.input(warp.resource).before(now) - warp.before.busy;
  const std::uint64_t held = ready_.held(warp.resource) - warp.before.dispatch;
  return {busy, held, cycles - busy - held};
}

void Accounts::add_open(Cycle now, StallCycles& sums) const {
  for (const ResidentWarp& warp : state_.warps) {
    if (!warp.resident || now <= warp.since) continue;
    const Open cycles = open(warp, now);
    sums[index(warp.reason)] += cycles.rest;
    sums[index(refusal(warp.resource))] += cycles.busy;
    sums[index(StallReason::dispatch_stall)] += cycles.held;
  }
}

void Accounts::charge(ResidentWarp& warp, Cycle now) {
  if (now <= warp.since) return;
  const std::uint64_t cycles = now.value - warp.since.value;
  const auto [busy, held, rest] = open(warp, now);
  StallReason shown = warp.reason;
  stalls_.add(warp.line, warp.reason, rest);
  if (warp.reason == StallReason::not_selected) {
    if (busy != 0) stalls_.add(warp.line, refusal(warp.resource), busy);
    if (held != 0) stalls_.add(warp.line, StallReason::dispatch_stall, held);
    if (busy >= held && 2 * busy > cycles)
      shown = refusal(warp.resource);
    else if (2 * held > cycles)
      shown = StallReason::dispatch_stall;
  }
  warp.accounted += cycles;
  if (state_.observer != nullptr) {
    const WarpIndex warp_index(&warp - state_.warps.data());
    state_.observer->spent(state_.name(warp_index), warp.line, shown, warp.since, now);
  }
  warp.since = now;
}

void Accounts::ended(const ResidentWarp& warp, Cycle now) {
  const config::Issue& issue = state_.config.issue;
  stalls_.add(warp.line, StallReason::branch_resolving, issue.exit.resolve);
  stalls_.add(warp.line, StallReason::drain, issue.exit.drain);
  warp_cycles_ += now.value - warp.start.value + issue.exit.resolve + issue.exit.drain;
  ++warps_;
}

std::uint64_t Accounts::warp_cycles_until(Cycle now) const {
  std::uint64_t sum = warp_cycles_;
  for (const ResidentWarp& warp : state_.warps)
    if (warp.resident) sum += now.value - warp.start.value;
  return sum;
}

void Accounts::issued(ResidentWarp& warp, const StaticInstruction& instruction, const InstructionBuffer::Entry& entry,
                      Cycle now, bool second) {
  stalls_.issued(entry.index, entry.nobody ? 0 : static_cast<std::uint32_t>(entry.active.count()),
                 static_cast<std::uint32_t>(entry.lanes.count()), second);
  ++issued_;
  ++issued_to_[static_cast<std::size_t>(instruction.resource)];
  if (second) return;
  slots_.count(now, StallReason::selected);
  ++warp.accounted;
  warp.since = now + 1;
  warp.reason = StallReason::selected;
}

void Accounts::report(stats::CounterValues& values, Cycle now) const {
  for (const PipeCount& pipe : kIssue.pipes)
    values.sum(pipe.counter, issued_to_[static_cast<std::size_t>(pipe.resource)]);
  values.sum(kIssue.executed, issued_);
  values.sum(kIssue.issued, issued_);
  values.sum(kIssue.warps, warps_);
  const StallCycles slots = slots_.until(now);
  for (std::size_t i = 0; i < kStallReasons; ++i) values.sum(kIssue.slots[i], slots[i]);
}

}  // namespace sassim::arch
