// SPDX-License-Identifier: Apache-2.0
// The names and meanings of the L1's counters (l1tex__...), for loads, stores, atomics, copies and textures.
#include "arch/sm/units/l1/l1_counters.h"

#include <fmt/format.h>

#include <vector>

namespace sassim::arch {

namespace {

struct TrafficName {
  L1Traffic traffic;
  std::string_view pipe;         ///< part of the names l1tex__t_* and l1tex__data_*
  std::string_view instruction;  ///< part of the names smsp__inst_executed_op_*
  std::string_view text;
  std::string_view rule = kLoad;  ///< which sectors hit

  static constexpr std::string_view kLoad = "sectors in flight count as hits";
  static constexpr std::string_view kStore = "all sectors hit if the line has a tag";
  static constexpr std::string_view kAtomic = "all sectors miss: the L2 executes atomics";
};

constexpr TrafficName kNames[] = {
    {L1Traffic::global_load, "lsu_mem_global_op_ld", "global_ld",
     "global loads, copies to shared memory (LDGSTS) included"},
    {L1Traffic::global_store, "lsu_mem_global_op_st", "global_st", "global stores", TrafficName::kStore},
    {L1Traffic::global_atomic, "lsu_mem_global_op_atom", "global_atom", "global atomics that return a value",
     TrafficName::kAtomic},
    {L1Traffic::global_reduction, "lsu_mem_global_op_red", "global_red", "global reductions", TrafficName::kAtomic},
    {L1Traffic::local_load, "lsu_mem_local_op_ld", "local_ld", "local loads"},
    {L1Traffic::local_store, "lsu_mem_local_op_st", "local_st", "local stores", TrafficName::kStore},
    {L1Traffic::async_copy, "lsu_mem_global_op_ldgsts", "ldgsts", "copies from global to shared memory (LDGSTS)"},
    {L1Traffic::texture_load, "tex_mem_texture", "texture", "reads of textures and surfaces"},
    {L1Traffic::surface_store, "tex_mem_surface_op_st", "surface_st", "writes of surfaces", TrafficName::kStore},
};
static_assert(std::size(kNames) == static_cast<std::size_t>(L1Traffic::count_));

struct TrafficCounters {
  explicit TrafficCounters(const TrafficName& name)
      : instructions(fmt::format("smsp__inst_executed_op_{}.sum", name.instruction), "inst",
                     fmt::format("warp instructions executed: {}", name.text)),
        requests(fmt::format("l1tex__t_requests_pipe_{}.sum", name.pipe), "request",
                 fmt::format("tag stage: requests of {}", name.text)),
        sectors(fmt::format("l1tex__t_sectors_pipe_{}.sum", name.pipe), "sector",
                fmt::format("tag stage: sectors of {}", name.text)),
        hits(fmt::format("l1tex__t_sectors_pipe_{}_lookup_hit.sum", name.pipe), "sector",
             fmt::format("tag stage: sectors that hit, of {}; {}", name.text, name.rule)),
        misses(fmt::format("l1tex__t_sectors_pipe_{}_lookup_miss.sum", name.pipe), "sector",
               fmt::format("tag stage: sectors that missed, of {}; {}", name.text, name.rule)),
        passes(fmt::format("l1tex__t_output_wavefronts_pipe_{}.sum", name.pipe), "wavefront",
               fmt::format("tag stage: passes of {}", name.text)) {}

  stats::Count instructions, requests, sectors, hits, misses, passes;
};

const struct TagStageCounters {
  std::vector<TrafficCounters> of{std::begin(kNames), std::end(kNames)};
  stats::Count requests{"l1tex__t_requests.sum", "request", "tag stage: requests"};
  stats::Count sectors{"l1tex__t_sectors.sum", "sector", "tag stage: sectors"};
  stats::Count hits{"l1tex__t_sectors_lookup_hit.sum", "sector",
                    "tag stage: sectors that hit, those in flight included"};
  stats::Count misses{"l1tex__t_sectors_lookup_miss.sum", "sector", "tag stage: sectors that missed"};
  stats::Count pending_hits{"sassim__l1_sectors_pending_hit.sum", "sector",
                            "sectors of loads that joined an outstanding miss"};
  stats::Count asked_again{
      "sassim__l1_sectors_asked_again.sum", "sector",
      "sectors of loads that joined an outstanding miss and were requested again (sm.l1.join_parts)"};
  stats::Count passes{"sassim__l1_tag_passes.sum", "cycle", "cycles in which the tag stage was busy: one per pass"};
  stats::Count stores_merged{"sassim__l1_store_sectors_merged.sum", "sector",
                             "sectors of stores that merged with an earlier store to the same sector"};
  stats::Count fills{"l1tex__m_xbar2l1tex_read_sectors.sum", "sector",
                     "sectors that arrived in the L1 from the L2, results of atomics included"};
} kTagStage;

}  // namespace

std::uint64_t L1Counters::wavefronts() const {
  std::uint64_t sum = 0;
  for (const TrafficName& name : kNames)
    if (name.traffic != L1Traffic::global_atomic && name.traffic != L1Traffic::global_reduction)
      sum += (*this)[name.traffic].wavefronts;
  return sum;
}

void L1Counters::report(stats::CounterValues& values, bool parts) const {
  PerTraffic all;
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    const TrafficCounters& counters = kTagStage.of[i];
    const PerTraffic& own = (*this)[kNames[i].traffic];
    PerTraffic c = own;
    // Nsight Compute counts copies to shared memory as loads too.
    if (kNames[i].traffic == L1Traffic::global_load) c.add((*this)[L1Traffic::async_copy]);
    values.sum(counters.instructions, own.instructions);
    values.sum(counters.requests, c.requests);
    values.sum(counters.sectors, c.sectors);
    values.sum(counters.hits, c.hits + c.pending_hits);
    values.sum(counters.misses, c.misses);
    values.sum(counters.passes, c.passes);
    all.add(own);
  }
  values.sum(kTagStage.requests, all.requests);
  values.sum(kTagStage.sectors, all.sectors);
  values.sum(kTagStage.hits, all.hits + all.pending_hits);
  values.sum(kTagStage.misses, all.misses);
  values.sum(kTagStage.pending_hits, all.pending_hits);
  if (parts) values.sum(kTagStage.asked_again, asked_again);
  values.sum(kTagStage.passes, all.passes);
  values.sum(kTagStage.stores_merged, stores_merged);
  values.sum(kTagStage.fills, fills);
}

}  // namespace sassim::arch
