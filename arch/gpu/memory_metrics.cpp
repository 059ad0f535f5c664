// SPDX-License-Identifier: Apache-2.0
// The metrics of L1, L2 and DRAM that are rates: hit rates, bank conflicts, bandwidth and shares of the peak.
#include "arch/gpu/memory_metrics.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/config/gpu_config.h"

namespace sassim::arch {

namespace {

double percent(double part, double whole) { return whole == 0 ? 0 : 100 * part / whole; }

/// What the formulas read.
const struct L1Names {
  stats::CounterName active{"sm__cycles_active.sum"}, data_busy{"sassim__l1_data_stage_busy_cycles.sum"},
      tag_passes{"sassim__l1_tag_passes.sum"}, output{"l1tex__m_l1tex2xbar_req_cycles_active.sum"};
  stats::CounterName sectors{"l1tex__t_sectors.sum"}, hits{"l1tex__t_sectors_lookup_hit.sum"};
} kL1Names;
const struct L2Names {
  stats::CounterName sectors{"lts__t_sectors.sum"}, hits{"lts__t_sectors_lookup_hit.sum"},
      profiled_hits{"sassim__lts_sectors_profiled_hit.sum"}, requests{"lts__t_requests.sum"};
  stats::CounterName busy{"sassim__lts_cycles_busy.sum"}, bytes_out{"sassim__lts_bytes_out.sum"},
      atomic_busy{"sassim__lts_atomic_cycles_busy.sum"}, busiest_atomic{"sassim__lts_atomic_cycles_busy.max"};
} kL2Names;
const struct DramNames {
  stats::CounterName bytes{"dram__bytes.sum"}, check_bytes{"sassim__dram_bytes_check.sum"};
} kDramNames;

/// The busiest part decides what an L1, or a slice of the L2, can still take.
const struct L1Metrics {
  stats::Derived hit_rate{"l1tex__t_sector_hit_rate.pct", "%",
                          "sectors that hit in the L1, of all that its tag stage looked up"};
  stats::Derived busiest_active{
      "l1tex__throughput.avg.pct_of_peak_sustained_active", "%",
      "busy cycles of the busiest of the L1's data stage, tag stage and output, of the SM's active cycles"};
  stats::Derived data{"sassim__l1_data_stage.pct_elapsed", "%",
                      "busy cycles of the L1's data stage, which shared memory uses too, as a share of the elapsed "
                      "cycles"};
  stats::Derived tags{"sassim__l1_tag_stage.pct_elapsed", "%",
                      "busy cycles of the L1's tag stage as a share of the elapsed cycles"};
  stats::Derived output{"l1tex__m_l1tex2xbar_req_cycles_active.avg.pct_of_peak_sustained_elapsed", "%",
                        "cycles in which the L1 sent a request as a share of the elapsed cycles"};
  stats::Throughput busiest{
      "sassim__l1_throughput.pct_elapsed",
      "%",
      "busy cycles of the busiest of the L1's data stage, tag stage and output as a share of the elapsed cycles",
      {data, tags, output}};
  stats::Derived clock{"gpc__cycles_elapsed.avg.per_second", "Hz", "clock of the SMs"};
} kL1;

const struct L2Metrics {
  stats::Derived hit_rate{
      "lts__t_sector_hit_rate.pct", "%",
      "hits over sectors of the L2, with the hits that a profiler adds (environment.profiled_hits): above 100 % where "
      "they are more than the misses"};
  stats::Derived kernel_hit_rate{"sassim__lts_sector_hit_rate.pct", "%",
                                 "hits over sectors of the L2, without the hits that a profiler adds"};
  stats::Derived tags{"lts__t_requests.avg.pct_of_peak_sustained_elapsed", "%",
                      "requests to the L2 as a share of the peak, one request per slice and elapsed cycle"};
  stats::Derived data{"sassim__lts_data.pct_elapsed", "%",
                      "busy cycles of the L2 slices' data arrays as a share of the elapsed cycles"};
  stats::Derived output{"lts__lts2xbar_cycles_active.avg.pct_of_peak_sustained_elapsed", "%",
                        "busy cycles of the L2 slices' outputs as a share of the elapsed cycles"};
  stats::Throughput busiest{
      "lts__throughput.avg.pct_of_peak_sustained_elapsed",
      "%",
      "busy cycles of the busiest of the L2 slices' tags, data arrays and outputs as a share of the elapsed cycles",
      {tags, data, output}};
  stats::Derived atomics{"sassim__lts_atomic.pct_of_peak", "%",
                         "cycles in which atomic units were busy as a share of the elapsed cycles of all slices"};
  stats::Derived hottest_atomic{"sassim__lts_atomic_hottest.pct_of_peak", "%",
                                "busy cycles of the busiest atomic unit as a share of the elapsed cycles"};
  stats::Derived clock{"lts__cycles_elapsed.avg.per_second", "Hz", "clock of the L2"};
} kL2;

const struct DramRates {
  stats::Derived bus{"dram__throughput.avg.pct_of_peak_sustained_elapsed", "%",
                     "bytes of data and check bits moved as a share of what the DRAM bus can move in the elapsed "
                     "cycles"};
  stats::Derived bytes{"dram__bytes.sum.per_second", "byte/s", "bytes read and written per second"};
  stats::Derived clock{"dram__cycles_elapsed.avg.per_second", "Hz", "half of the DRAM's data rate"};
  stats::Throughput memory{
      "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
      "%",
      "the largest of the throughputs of L1, L2 and DRAM, each a share of its peak over the elapsed cycles",
      {kL1.data, kL1.tags, kL1.output, kL2.tags, kL2.data, kL2.output, bus}};
} kDramRates;

/// Of one kind of accesses to shared memory.
struct ConflictWays {
  ConflictWays(const char* kind, const char* accesses)
      : ways(fmt::format("sassim__shared_conflict_ways_op_{}.ratio", kind), "ratio",
             fmt::format("n-way bank conflicts of shared {}: passes / passes without conflicts; 1: no conflict",
                         accesses)),
        passes(fmt::format("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{}.sum", kind)),
        conflicts(fmt::format("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{}.sum", kind)) {}

  stats::Derived ways;
  stats::CounterName passes, conflicts;
};
const ConflictWays kConflicts[] = {{"ld", "loads"}, {"st", "stores"}, {"atom", "atomics"}};

void report_conflicts(stats::CounterValues& m) {
  for (const ConflictWays& kind : kConflicts) {
    const double passes = m[kind.passes];
    m.set(kind.ways, passes / std::max(passes - m[kind.conflicts], 1.0));
  }
}

void report_l1(const KernelRun& run, stats::CounterValues& m) {
  const double elapsed = static_cast<double>(run.cycles.value) * static_cast<double>(run.sms.size());
  const double data = m[kL1Names.data_busy], tags = m[kL1Names.tag_passes], output = m[kL1Names.output];
  m.set(kL1.hit_rate, percent(m[kL1Names.hits], m[kL1Names.sectors]));
  m.set(kL1.busiest_active, percent(std::max({data, tags, output}), m[kL1Names.active]));
  m.set(kL1.data, percent(data, elapsed));
  m.set(kL1.tags, percent(tags, elapsed));
  m.set(kL1.output, percent(output, elapsed));
  m.set(kL1.busiest);
  m.set(kL1.clock, static_cast<double>(run.config.clock.sm));
}

void report_l2(const KernelRun& run, double seconds, stats::CounterValues& m) {
  const config::Memory& memory = run.config.memory;
  const auto clock = static_cast<double>(run.config.clock.l2);
  const double slice_cycles = seconds * clock * memory.l2.slices;
  const double hits = m[kL2Names.hits], sectors = m[kL2Names.sectors];
  m.set(kL2.hit_rate, percent(hits, sectors));
  m.set(kL2.kernel_hit_rate, percent(hits - (m.has(kL2Names.profiled_hits) ? m[kL2Names.profiled_hits] : 0), sectors));
  m.set(kL2.tags, percent(m[kL2Names.requests], slice_cycles));
  m.set(kL2.data, percent(m[kL2Names.busy], slice_cycles));
  m.set(kL2.output, percent(m[kL2Names.bytes_out] / memory.crossbar.slice_reply_bytes_per_cycle, slice_cycles));
  m.set(kL2.busiest);
  m.set(kL2.atomics, percent(m[kL2Names.atomic_busy], slice_cycles));
  m.set(kL2.hottest_atomic, percent(m[kL2Names.busiest_atomic], seconds * clock));
  m.set(kL2.clock, clock);
}

void report_dram(const KernelRun& run, double seconds, stats::CounterValues& m) {
  const config::DramConfig& dram = run.config.memory.dram;
  const double peak = peak_dram_bytes_per_second(run.config);
  m.set(kDramRates.bus, percent(m[kDramNames.bytes] + m[kDramNames.check_bytes], peak * seconds));
  m.set(kDramRates.bytes, seconds == 0 ? 0 : m[kDramNames.bytes] / seconds);
  // Nsight counts a DRAM cycle for every two beats, whatever the clock of the memory is.
  m.set(kDramRates.clock, static_cast<double>(run.config.clock.dram) * dram.beats_per_clock / 2);
  m.set(kDramRates.memory);
}

}  // namespace

double peak_dram_bytes_per_second(const config::GpuConfig& config) {
  const config::DramConfig& dram = config.memory.dram;
  return static_cast<double>(config.clock.dram) * dram.beats_per_clock * dram.bus_bits / 8 * dram.channels *
         dram.pseudo_channels;
}

void report_memory_rates(const KernelRun& run, stats::CounterValues& m) {
  report_l1(run, m);
  report_conflicts(m);
  if (!m.has(kL2Names.sectors)) return;  // a memory model without caches and channels
  const double seconds = static_cast<double>(run.cycles.value) / static_cast<double>(run.config.clock.sm);
  report_l2(run, seconds, m);
  report_dram(run, seconds, m);
}

}  // namespace sassim::arch
