// SPDX-License-Identifier: Apache-2.0
// Checks, at the end of a kernel, that the model lost and invented no sectors between L1s and L2: what one end of a
// path counts as sent, the other counts as received.
#include <fmt/format.h>

#include <initializer_list>
#include <stdexcept>

#include "arch/gpu/memory_metrics.h"
#include "sim/config/gpu_config.h"

namespace sassim::arch {

namespace {

/// What both ends of each path count.
const struct TrafficNames {
  stats::CounterName load_misses[3] = {stats::CounterName("l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum"),
                                       stats::CounterName("l1tex__t_sectors_pipe_lsu_mem_local_op_ld_lookup_miss.sum"),
                                       stats::CounterName("l1tex__t_sectors_pipe_tex_mem_texture_lookup_miss.sum")};
  stats::CounterName stores[3] = {stats::CounterName("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"),
                                  stats::CounterName("l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"),
                                  stats::CounterName("l1tex__t_sectors_pipe_tex_mem_surface_op_st.sum")};
  stats::CounterName atomics{"l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum"},
      reductions{"l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum"};
  stats::CounterName asked{"sassim__l1_sectors_asked.sum"}, asked_again{"sassim__l1_sectors_asked_again.sum"},
      arrived{"l1tex__m_xbar2l1tex_read_sectors.sum"};
  stats::CounterName written{"l1tex__m_l1tex2xbar_write_sectors.sum"},
      merged_stores{"sassim__l1_store_sectors_merged.sum"};
  stats::CounterName looked_up{"lts__t_sectors_srcunit_tex.sum"}, merged_loads{"sassim__xbar_sectors_merged.sum"};
} kTraffic;

void same(const char* what, double a, double b) {
  if (a != b) throw std::logic_error(fmt::format("{} differ: {} and {}", what, a, b));
}

}  // namespace

void check_traffic(const KernelRun& run, const stats::CounterValues& m) {
  const double small = run.config.sm.l1.sector / static_cast<double>(kSectorBytes);  // L2 sectors in a sector of the L1
  const auto optional = [&](const stats::CounterName& counter) { return m.has(counter) ? m[counter] : 0; };
  double missed = optional(kTraffic.asked_again), stored = m[kTraffic.atomics] + m[kTraffic.reductions];
  for (const stats::CounterName& counter : kTraffic.load_misses) missed += m[counter];
  for (const stats::CounterName& counter : kTraffic.stores) stored += m[counter];
  const double asked = m[kTraffic.asked], written = m[kTraffic.written];
  same("sectors that loads missed in L1s and sectors that L1s requested", missed * small, asked);
  same("sectors that stores and atomics wrote and sectors that L1s sent", stored * small,
       written + m[kTraffic.merged_stores]);
  same("sectors that L1s requested and sectors that arrived", asked + m[kTraffic.atomics] * small, m[kTraffic.arrived]);
  if (!m.has(kTraffic.looked_up)) return;
  same("sectors that L1s sent and sectors that the L2 looked up for them", asked + written,
       m[kTraffic.looked_up] + optional(kTraffic.merged_loads));
}

}  // namespace sassim::arch
