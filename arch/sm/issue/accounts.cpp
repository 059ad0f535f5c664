// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/issue/accounts.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "arch/sm/issue/refusal.h"
#include "sim/config/groups/issue.h"
#include "sim/config/groups/sm.h"

namespace sassim::arch {

void Accounts::start_kernel(Cycle now) {
  slots_.clear();
  slots_.start(now);
  slots_.idle(StallReason::no_warp);
  issued_ = warp_cycles_ = warps_ = 0;
  issued_to_.fill(0);
}

void Accounts::charge(ResidentWarp& warp, Cycle now) {
  if (now <= warp.since) return;
  const std::uint64_t cycles = now.value - warp.since.value;
  StallReason shown = warp.reason;
  LineStalls& line = stalls_[warp.line];
  if (warp.reason == StallReason::not_selected) {
    const std::uint64_t busy = pipes_.input(warp.resource).before(now) - warp.busy_before;
    const std::uint64_t held = ready_.held(warp.resource) - warp.dispatch_before;
    line.cycles[index(refusal(warp.resource))] += busy;
    line.cycles[index(StallReason::dispatch_stall)] += held;
    line.cycles[index(StallReason::not_selected)] += cycles - busy - held;
    if (busy >= held && 2 * busy > cycles)
      shown = refusal(warp.resource);
    else if (2 * held > cycles)
      shown = StallReason::dispatch_stall;
  } else {
    line.cycles[index(warp.reason)] += cycles;
  }
  warp.accounted += cycles;
  if (state_.observer != nullptr) {
    const auto warp_index = static_cast<std::uint32_t>(&warp - state_.warps.data());
    state_.observer->spent(state_.name(warp_index), warp.line, shown, warp.since, now);
  }
  warp.since = now;
}

void Accounts::ended(const ResidentWarp& warp, Cycle now) {
  const config::Issue& issue = state_.config.issue;
  LineStalls& line = stalls_[warp.line];
  line.cycles[index(StallReason::branch_resolving)] += issue.exit_resolve;
  line.cycles[index(StallReason::drain)] += issue.exit_drain;
  warp_cycles_ += now.value - warp.start.value + issue.exit_resolve + issue.exit_drain;
  ++warps_;
}

std::uint64_t Accounts::warp_cycles_until(Cycle now) const {
  std::uint64_t sum = warp_cycles_;
  for (const ResidentWarp& warp : state_.warps)
    if (warp.resident) sum += now.value - warp.start.value;
  return sum;
}

void Accounts::issued(ResidentWarp& warp, const StaticInstruction& instruction, const InstructionBuffer::Entry& entry,
                      Cycle now) {
  LineStalls& stalls = stalls_[entry.index];
  ++stalls.cycles[index(StallReason::selected)];
  if (!entry.nobody) stalls.threads += static_cast<std::uint64_t>(entry.active.count());
  stalls.threads_executed += static_cast<std::uint64_t>(entry.lanes.count());
  slots_.count(now, StallReason::selected);
  ++warp.accounted;
  warp.since = now + 1;
  warp.reason = StallReason::selected;
  ++issued_;
  ++issued_to_[static_cast<std::size_t>(instruction.resource)];
}

void Accounts::report(stats::MetricSet& metrics) const {
  struct PipeName {
    Resource resource;
    const char* name;
  };
  static constexpr PipeName kNames[] = {{Resource::fma, "sm__inst_executed_pipe_fma.sum"},
                                        {Resource::alu, "sm__inst_executed_pipe_alu.sum"},
                                        {Resource::fp16, "sm__inst_executed_pipe_fp16.sum"},
                                        {Resource::fp64, "sm__inst_executed_pipe_fp64.sum"},
                                        {Resource::xu, "sm__inst_executed_pipe_xu.sum"},
                                        {Resource::tensor, "sm__inst_executed_pipe_tensor.sum"},
                                        {Resource::uniform, "sm__inst_executed_pipe_uniform.sum"},
                                        {Resource::branch, "sm__inst_executed_pipe_cbu.sum"},
                                        {Resource::adu, "sm__inst_executed_pipe_adu.sum"},
                                        {Resource::local_global, "sm__inst_executed_pipe_lsu.sum"},
                                        {Resource::shared, "sm__inst_executed_pipe_lsu.sum"},
                                        {Resource::constant, "sm__inst_executed_pipe_adu.sum"},
                                        {Resource::texture, "sm__inst_executed_pipe_tex.sum"}};
  for (const PipeName& row : kNames)
    metrics.sum(row.name, "inst", "warp instructions issued to the pipe",
                issued_to_[static_cast<std::size_t>(row.resource)]);
  metrics.sum("smsp__inst_executed.sum", "inst", "warp instructions issued", issued_);
  metrics.sum("smsp__warps_launched.sum", "warp", "warps that ran", warps_);
  // Built once for all processing blocks: formatting the texts takes a large part of the time of a short kernel's
  // report.
  static const auto slots = [] {
    std::array<std::pair<std::string, std::string>, kStallReasons> texts;
    for (std::size_t i = 0; i < kStallReasons; ++i) {
      const StallRow& row = stall_row(static_cast<StallReason>(i));
      texts[i] = {fmt::format("sassim__issue_slots_{}.sum", row.name),
                  fmt::format("issue slots that went to: {}", row.meaning)};
    }
    return texts;
  }();
  for (std::size_t i = 0; i < kStallReasons; ++i)
    metrics.sum(slots[i].first, "cycle", slots[i].second, slots_.cycles()[i]);
}

}  // namespace sassim::arch
