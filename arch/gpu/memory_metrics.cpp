// SPDX-License-Identifier: Apache-2.0
#include "arch/gpu/memory_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sim/config/gpu_config.h"

namespace sassim::arch {

namespace {

double percent(double part, double whole) { return whole == 0 ? 0 : 100 * part / whole; }

/// The busiest part decides what an L1, or a slice of the L2, can still take.
constexpr std::array<const char*, 3> kL1Parts = {
    "sassim__l1_data_stage.pct_elapsed", "sassim__l1_tag_stage.pct_elapsed",
    "l1tex__m_l1tex2xbar_req_cycles_active.avg.pct_of_peak_sustained_elapsed"};
constexpr std::array<const char*, 3> kL2Parts = {"lts__t_requests.avg.pct_of_peak_sustained_elapsed",
                                                 "sassim__lts_data.pct_elapsed",
                                                 "lts__lts2xbar_cycles_active.avg.pct_of_peak_sustained_elapsed"};
constexpr const char* kDramBus = "dram__throughput.avg.pct_of_peak_sustained_elapsed";

std::vector<std::string> named(const std::array<const char*, 3>& parts) { return {parts.begin(), parts.end()}; }

void report_conflicts(stats::MetricSet& m) {
  for (const auto& [kind, meaning] :
       {std::pair("ld", "n-way bank conflicts of shared loads: passes / passes without conflicts; 1: no conflict"),
        std::pair("st", "n-way bank conflicts of shared stores: passes / passes without conflicts; 1: no conflict"),
        std::pair("atom",
                  "n-way bank conflicts of shared atomics: passes / passes without conflicts; 1: no conflict")}) {
    const double passes = m[fmt::format("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{}.sum", kind)];
    const double conflicts = m[fmt::format("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{}.sum", kind)];
    m.set(fmt::format("sassim__shared_conflict_ways_op_{}.ratio", kind), "ratio", meaning,
          passes / std::max(passes - conflicts, 1.0));
  }
}

void report_l1(const KernelRun& run, stats::MetricSet& m) {
  const double active = m["sm__cycles_active.sum"];
  const double elapsed = static_cast<double>(run.cycles.value) * static_cast<double>(run.sms.size());
  const double busiest = std::max({m["sassim__l1_data_stage_busy_cycles.sum"], m["sassim__l1_tag_passes.sum"],
                                   m["l1tex__m_l1tex2xbar_req_cycles_active.sum"]});
  m.set("l1tex__t_sector_hit_rate.pct", "%", "sectors that hit in the L1, of all that its tag stage looked up",
        percent(m["l1tex__t_sectors_lookup_hit.sum"], m["l1tex__t_sectors.sum"]));
  m.set("l1tex__throughput.avg.pct_of_peak_sustained_active", "%",
        "busy cycles of the busiest of the L1's data stage, tag stage and output, of the SM's active cycles",
        percent(busiest, active));
  m.set(kL1Parts[0], "%",
        "busy cycles of the L1's data stage, which shared memory uses too, as a share of the elapsed cycles",
        percent(m["sassim__l1_data_stage_busy_cycles.sum"], elapsed));
  m.set(kL1Parts[1], "%", "busy cycles of the L1's tag stage as a share of the elapsed cycles",
        percent(m["sassim__l1_tag_passes.sum"], elapsed));
  m.set(kL1Parts[2], "%", "cycles in which the L1 sent a request as a share of the elapsed cycles",
        percent(m["l1tex__m_l1tex2xbar_req_cycles_active.sum"], elapsed));
  m.largest("sassim__l1_throughput.pct_elapsed", "%",
            "busy cycles of the busiest of the L1's data stage, tag stage and output as a share of the elapsed cycles",
            named(kL1Parts));
  m.set("gpc__cycles_elapsed.avg.per_second", "Hz", "clock of the SMs", static_cast<double>(run.config.clock.sm));
}

void report_l2(const KernelRun& run, double seconds, stats::MetricSet& m) {
  const config::Memory& memory = run.config.memory;
  const auto clock = static_cast<double>(run.config.clock.l2);
  const double slice_cycles = seconds * clock * memory.l2.slices;
  const double hits = m["lts__t_sectors_lookup_hit.sum"], sectors = m["lts__t_sectors.sum"];
  const char* profiled = "sassim__lts_sectors_profiled_hit.sum";
  m.set(
      "lts__t_sector_hit_rate.pct", "%",
      "hits over sectors of the L2, with the hits that a profiler adds (environment.profiled_hits): above 100 % where "
      "they are more than the misses",
      percent(hits, sectors));
  m.set("sassim__lts_sector_hit_rate.pct", "%", "hits over sectors of the L2, without the hits that a profiler adds",
        percent(hits - (m.has(profiled) ? m[profiled] : 0), sectors));
  m.set(kL2Parts[0], "%", "requests to the L2 as a share of the peak, one request per slice and elapsed cycle",
        percent(m["lts__t_requests.sum"], slice_cycles));
  m.set(kL2Parts[1], "%", "busy cycles of the L2 slices' data arrays as a share of the elapsed cycles",
        percent(m["sassim__lts_cycles_busy.sum"], slice_cycles));
  m.set(kL2Parts[2], "%", "busy cycles of the L2 slices' outputs as a share of the elapsed cycles",
        percent(m["sassim__lts_bytes_out.sum"] / memory.crossbar.slice_reply_bytes_per_cycle, slice_cycles));
  m.largest(
      "lts__throughput.avg.pct_of_peak_sustained_elapsed", "%",
      "busy cycles of the busiest of the L2 slices' tags, data arrays and outputs as a share of the elapsed cycles",
      named(kL2Parts));
  m.set("sassim__lts_atomic.pct_of_peak", "%",
        "cycles in which atomic units were busy as a share of the elapsed cycles of all slices",
        percent(m["sassim__lts_atomic_cycles_busy.sum"], slice_cycles));
  m.set("sassim__lts_atomic_hottest.pct_of_peak", "%",
        "busy cycles of the busiest atomic unit as a share of the elapsed cycles",
        percent(m["sassim__lts_atomic_cycles_busy.max"], seconds * clock));
  m.set("lts__cycles_elapsed.avg.per_second", "Hz", "clock of the L2", clock);
}

void report_dram(const KernelRun& run, double seconds, stats::MetricSet& m) {
  const config::DramConfig& dram = run.config.memory.dram;
  const double peak = static_cast<double>(run.config.clock.dram) * dram.beats_per_clock * dram.bus_bits / 8 *
                      dram.channels * dram.pseudo_channels;
  m.set(kDramBus, "%",
        "bytes of data and check bits moved as a share of what the DRAM bus can move in the elapsed cycles",
        percent(m["dram__bytes.sum"] + m["sassim__dram_bytes_check.sum"], peak * seconds));
  m.set("dram__bytes.sum.per_second", "byte/s", "bytes read and written per second",
        seconds == 0 ? 0 : m["dram__bytes.sum"] / seconds);
  // Nsight counts a DRAM cycle for every two beats, whatever the clock of the memory is.
  m.set("dram__cycles_elapsed.avg.per_second", "Hz", "half of the DRAM's data rate",
        static_cast<double>(run.config.clock.dram) * dram.beats_per_clock / 2);
  std::vector<std::string> parts = named(kL1Parts);
  parts.insert(parts.end(), kL2Parts.begin(), kL2Parts.end());
  parts.emplace_back(kDramBus);
  m.largest("gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", "%",
            "the largest of the throughputs of L1, L2 and DRAM, each a share of its peak over the elapsed cycles",
            std::move(parts));
}

}  // namespace

void report_memory_rates(const KernelRun& run, stats::MetricSet& m) {
  report_l1(run, m);
  report_conflicts(m);
  if (!m.has("lts__t_sectors.sum")) return;  // a memory model without caches and channels
  const double seconds = static_cast<double>(run.cycles.value) / static_cast<double>(run.config.clock.sm);
  report_l2(run, seconds, m);
  report_dram(run, seconds, m);
}

void check_traffic(const KernelRun& run, const stats::MetricSet& m) {
  const double small = run.config.sm.l1.sector / static_cast<double>(kSectorBytes);  // L2 sectors in a sector of the L1
  const auto total = [&](const char* form, std::initializer_list<const char*> kinds) {
    double sum = 0;
    for (const char* kind : kinds) sum += m[fmt::format(fmt::runtime(form), kind)];
    return sum * small;
  };
  const auto same = [](const char* what, double a, double b) {
    if (a != b) throw std::logic_error(fmt::format("{} differ: {} and {}", what, a, b));
  };
  const double asked = m["sassim__l1_sectors_asked.sum"], written = m["l1tex__m_l1tex2xbar_write_sectors.sum"];
  const char* again = "sassim__l1_sectors_asked_again.sum";
  same("sectors that loads missed in L1s and sectors that L1s requested",
       total("l1tex__t_sectors_pipe_{}_lookup_miss.sum",
             {"lsu_mem_global_op_ld", "lsu_mem_local_op_ld", "tex_mem_texture"}) +
           (m.has(again) ? m[again] * small : 0),
       asked);
  same("sectors that stores and atomics wrote and sectors that L1s sent",
       total("l1tex__t_sectors_pipe_{}.sum", {"lsu_mem_global_op_st", "lsu_mem_local_op_st", "lsu_mem_global_op_atom",
                                              "lsu_mem_global_op_red", "tex_mem_surface_op_st"}),
       written + m["sassim__l1_store_sectors_merged.sum"]);
  same("sectors that L1s requested and sectors that arrived",
       asked + total("l1tex__t_sectors_pipe_lsu_mem_{}.sum", {"global_op_atom"}),
       m["l1tex__m_xbar2l1tex_read_sectors.sum"]);
  if (!m.has("lts__t_sectors_srcunit_tex.sum")) return;
  const char* merged = "sassim__xbar_sectors_merged.sum";
  same("sectors that L1s sent and sectors that the L2 looked up for them", asked + written,
       m["lts__t_sectors_srcunit_tex.sum"] + (m.has(merged) ? m[merged] : 0));
}

}  // namespace sassim::arch
