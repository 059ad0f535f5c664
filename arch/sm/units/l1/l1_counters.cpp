// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/units/l1/l1_counters.h"

#include <fmt/format.h>

#include <string>
#include <utility>
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

using TrafficTexts = std::array<std::pair<std::string, std::string>, 6>;  ///< metric names and meanings

/// Built once for all L1s: formatting the texts takes a large part of the time of a short kernel's report.
const std::vector<TrafficTexts>& traffic_texts() {
  static const std::vector<TrafficTexts> all = [] {
    std::vector<TrafficTexts> texts;
    for (const TrafficName& name : kNames)
      texts.push_back({{{fmt::format("smsp__inst_executed_op_{}.sum", name.instruction),
                         fmt::format("warp instructions executed: {}", name.text)},
                        {fmt::format("l1tex__t_requests_pipe_{}.sum", name.pipe),
                         fmt::format("tag stage: requests of {}", name.text)},
                        {fmt::format("l1tex__t_sectors_pipe_{}.sum", name.pipe),
                         fmt::format("tag stage: sectors of {}", name.text)},
                        {fmt::format("l1tex__t_sectors_pipe_{}_lookup_hit.sum", name.pipe),
                         fmt::format("tag stage: sectors that hit, of {}; {}", name.text, name.rule)},
                        {fmt::format("l1tex__t_sectors_pipe_{}_lookup_miss.sum", name.pipe),
                         fmt::format("tag stage: sectors that missed, of {}; {}", name.text, name.rule)},
                        {fmt::format("l1tex__t_output_wavefronts_pipe_{}.sum", name.pipe),
                         fmt::format("tag stage: passes of {}", name.text)}}});
    return texts;
  }();
  return all;
}

}  // namespace

std::uint64_t L1Counters::wavefronts() const {
  std::uint64_t sum = 0;
  for (const TrafficName& name : kNames)
    if (name.traffic != L1Traffic::global_atomic && name.traffic != L1Traffic::global_reduction)
      sum += (*this)[name.traffic].wavefronts;
  return sum;
}

void L1Counters::report(stats::MetricSet& metrics, bool parts) const {
  std::uint64_t sectors = 0, hits = 0, misses = 0, requests = 0, pending = 0, passes = 0;
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    const TrafficName& name = kNames[i];
    const TrafficTexts& texts = traffic_texts()[i];
    const PerTraffic& own = (*this)[name.traffic];
    PerTraffic c = own;
    // Nsight Compute counts copies to shared memory as loads too.
    if (name.traffic == L1Traffic::global_load) c.add((*this)[L1Traffic::async_copy]);
    const auto add = [&](std::size_t which, std::string_view unit, std::uint64_t value) {
      metrics.sum(texts[which].first, unit, texts[which].second, value);
    };
    add(0, "inst", own.instructions);
    add(1, "request", c.requests);
    add(2, "sector", c.sectors);
    add(3, "sector", c.hits + c.pending_hits);
    add(4, "sector", c.misses);
    add(5, "wavefront", c.passes);
    sectors += own.sectors, hits += own.hits, pending += own.pending_hits, misses += own.misses;
    requests += own.requests, passes += own.passes;
  }
  metrics.sum("l1tex__t_requests.sum", "request", "tag stage: requests", requests);
  metrics.sum("l1tex__t_sectors.sum", "sector", "tag stage: sectors", sectors);
  metrics.sum("l1tex__t_sectors_lookup_hit.sum", "sector", "tag stage: sectors that hit, those in flight included",
              hits + pending);
  metrics.sum("l1tex__t_sectors_lookup_miss.sum", "sector", "tag stage: sectors that missed", misses);
  metrics.sum("sassim__l1_sectors_pending_hit.sum", "sector", "sectors of loads that joined an outstanding miss",
              pending);
  if (parts)
    metrics.sum("sassim__l1_sectors_asked_again.sum", "sector",
                "sectors of loads that joined an outstanding miss and were requested again (sm.l1.join_parts)",
                asked_again);
  metrics.sum("sassim__l1_tag_passes.sum", "cycle", "cycles in which the tag stage was busy: one per pass", passes);
  metrics.sum("sassim__l1_store_sectors_merged.sum", "sector",
              "sectors of stores that merged with an earlier store to the same sector", stores_merged);
  metrics.sum("l1tex__m_xbar2l1tex_read_sectors.sum", "sector",
              "sectors that arrived in the L1 from the L2, results of atomics included", fills);
}

}  // namespace sassim::arch
