// SPDX-License-Identifier: Apache-2.0
// Sums up a kernel's counters for estimates of what bounds it.
#include "sim/report/bound_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <unordered_map>

namespace sassim::report {

namespace {

constexpr PipeRow kPipeRows[] = {
    {"fma", Cause::pipe, "the fma pipe", false},
    {"alu", Cause::pipe, "the alu pipe", false},
    {"fp16", Cause::pipe, "the fp16 pipe", false},
    {"fp64", Cause::fp64, "the fp64 pipe", true},
    {"xu", Cause::pipe, "the xu pipe", true},
    {"tensor", Cause::tensor, "the tensor pipe", false},
    {"uniform", Cause::uniform, "the uniform datapath", false},
    {"cbu", Cause::control, "the branch unit (CBU)", false},
    {"adu", Cause::control, "the address divergence unit (ADU: barriers, special registers)", true}};

bool is_shared(std::string_view op) { return op == "load_shared" || op == "store_shared" || op == "atomic_shared"; }

std::uint64_t stall_of(const LineStalls& line, std::string_view reason) {
  for (const auto& [name, cycles] : line.stalls)
    if (name == reason) return cycles;
  return 0;
}

}  // namespace

Facts::Facts(const KernelReport& kernel) : m(kernel.metrics) {
  elapsed = std::max(get("gpc__cycles_elapsed.max"), 1.0);
  launch = get("sassim__phase_launch.cycles");
  drain = get("sassim__phase_drain.cycles");
  span = std::max(elapsed - launch, 1.0);
  running = std::max(span - drain, 1.0);
  awake = get("sm__cycles_active.avg") / elapsed;
  grid = get("launch__grid_size");
  blocks = kernel.slice_blocks != 0 ? static_cast<double>(kernel.slice_blocks) : grid;
  waves = grid == 0 ? 0 : get("launch__waves_per_multiprocessor") * blocks / grid;
  threads = get("smsp__thread_inst_executed_per_inst_executed.ratio");
  dram = busy("dram__throughput.avg.pct_of_peak_sustained_elapsed");
  l2 = busy("lts__throughput.avg.pct_of_peak_sustained_elapsed");
  hottest = busy("sassim__lts_atomic_hottest.pct_of_peak");
  l1 = get("l1tex__throughput.avg.pct_of_peak_sustained_active") / 100;
  issue = get("smsp__issue_active.avg.pct_of_peak_sustained_active") / 100;
  constexpr std::string_view kPrefix = "sassim__warp_cycles_", kSuffix = ".sum";
  for (const auto& [row, value] : m.all()) {
    if (!row->name.starts_with(kPrefix)) continue;
    stalls_[row->name.substr(kPrefix.size(), row->name.size() - kPrefix.size() - kSuffix.size())] = value;
    warp_cycles_ += value;
  }
  find_pipes();
  count_accesses(kernel);
}

double Facts::waits(std::initializer_list<const char*> reasons) const {
  double sum = 0;
  for (const char* reason : reasons)
    if (const auto at = stalls_.find(reason); at != stalls_.end()) sum += at->second;
  return warp_cycles_ == 0 ? 0 : percent(running) * sum / warp_cycles_;
}

void Facts::find_pipes() {
  if (awake == 0) return;
  memory_stage = get("sm__mio_inst_issued.avg.pct_of_peak_sustained_elapsed") / 100 / awake;
  for (const PipeRow& row : kPipeRows) {
    const double share =
        get(fmt::format("sm__pipe_{}_cycles_active.avg.pct_of_peak_sustained_elapsed", row.name)) / 100 / awake;
    pipes_together += share;
    if (pipe != nullptr && share <= pipe_busy) continue;
    pipe = &row;
    pipe_busy = share;
  }
}

void Facts::count_accesses(const KernelReport& kernel) {
  std::unordered_map<std::uint32_t, const LineStalls*> by_pc;
  for (const LineStalls& line : kernel.lines) by_pc[line.pc] = &line;
  double for_shared = 0, all = 0, hits = 0, for_memory = 0;
  for (const LineStalls& line : kernel.lines) {
    const LineMemory& memory = line.memory;
    const auto extra = static_cast<double>(memory.sectors) - static_cast<double>(memory.ideal_sectors);
    if (is_shared(line.op)) {
      passes += static_cast<double>(memory.passes);
      ideal_passes += static_cast<double>(memory.ideal_passes);
    } else {
      sectors += static_cast<double>(memory.sectors);
      ideal_sectors += static_cast<double>(memory.ideal_sectors);
      if (line.op != "load") extra_of_writes += extra;
      if (line.op == "atomic" || line.op == "reduction") {
        atomic_sectors += static_cast<double>(memory.sectors);
        ideal_atomic_sectors += static_cast<double>(memory.ideal_sectors);
      }
    }
    hits += std::min(static_cast<double>(stall_of(line, "long_scoreboard")),
                     static_cast<double>(line.executed) * get("sassim__l1_hit_latency.cycles"));
    // Where such a read passes the memory stage, it waits for room behind loads and stores.
    if (line.op == "s2r") for_memory += static_cast<double>(stall_of(line, "mio_throttle"));
    const auto waited = static_cast<double>(stall_of(line, "short_scoreboard"));
    all += waited;
    if (std::any_of(line.waits_for.begin(), line.waits_for.end(), [&](std::uint32_t pc) {
          const auto at = by_pc.find(pc);
          return at != by_pc.end() && is_shared(at->second->op);
        }))
      for_shared += waited;
  }
  hits_wait = warp_cycles_ == 0 ? 0 : percent(running) * hits / warp_cycles_;
  if (warp_cycles_ != 0 && sectors != 0 && passes == 0) index_waits = percent(running) * for_memory / warp_cycles_;
  short_waits_for_shared = all == 0 ? 0 : for_shared / all;
}

}  // namespace sassim::report
