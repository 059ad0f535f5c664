// SPDX-License-Identifier: Apache-2.0
// Tables of a report: the metrics of each section; rows for memory, occupancy, pipes and waits.
#include "sim/report/sections.h"

#include <fmt/format.h>

#include <algorithm>

namespace sassim::report {

namespace {

double value_of(const stats::MetricSet& m, std::string_view name) { return m.has(name) ? m[name] : -1; }

std::vector<Share> with_prefix(const stats::MetricSet& m, std::string_view prefix, std::string_view suffix) {
  std::vector<Share> all;
  for (const auto& [row, value] : m.all())
    if (const std::string& name = row->name; name.starts_with(prefix) && name.ends_with(suffix) && value != 0)
      all.push_back({name.substr(prefix.size(), name.size() - prefix.size() - suffix.size()), value, 0});
  std::stable_sort(all.begin(), all.end(), [](const Share& a, const Share& b) { return a.cycles > b.cycles; });
  return all;
}

MemoryRow l1_row(const stats::MetricSet& m, const char* access, std::string_view pipe) {
  const auto of = [&](std::string_view form) { return value_of(m, fmt::format(fmt::runtime(form), pipe)); };
  const double sectors = of("l1tex__t_sectors_pipe_{}.sum"), hits = of("l1tex__t_sectors_pipe_{}_lookup_hit.sum");
  return {"L1",         access, of("l1tex__t_requests_pipe_{}.sum"), sectors, sectors > 0 ? 100 * hits / sectors : -1,
          sectors * 32, -1};
}

MemoryRow l2_row(const stats::MetricSet& m, const char* access, std::string_view kind) {
  const auto of = [&](std::string_view form) { return value_of(m, fmt::format(fmt::runtime(form), kind)); };
  const double sectors = of("lts__t_sectors_op_{}.sum"), hits = of("lts__t_sectors_op_{}_lookup_hit.sum");
  return {"L2",         access, of("lts__t_requests_op_{}.sum"), sectors, sectors > 0 ? 100 * hits / sectors : -1,
          sectors * 32, -1};
}

/// "fma pipe" of sm__pipe_fma_cycles_active...; a part without a label has its own name.
std::string part_label(std::string_view metric) {
  static constexpr SectionEntry kLabels[] = {
      {"issue slots", "sm__issue_active.avg.pct_of_peak_sustained_elapsed"},
      {"memory stage", "sm__mio_inst_issued.avg.pct_of_peak_sustained_elapsed"},
      {"L1 data stage", "sassim__l1_data_stage.pct_elapsed"},
      {"L1 tag stage", "sassim__l1_tag_stage.pct_elapsed"},
      {"L1 output", "l1tex__m_l1tex2xbar_req_cycles_active.avg.pct_of_peak_sustained_elapsed"},
      {"L2 tags", "lts__t_requests.avg.pct_of_peak_sustained_elapsed"},
      {"L2 data arrays", "sassim__lts_data.pct_elapsed"},
      {"L2 output", "lts__lts2xbar_cycles_active.avg.pct_of_peak_sustained_elapsed"},
      {"DRAM bus", "dram__throughput.avg.pct_of_peak_sustained_elapsed"}};
  for (const SectionEntry& entry : kLabels)
    if (entry.metric == metric) return std::string(entry.label);
  constexpr std::string_view kPipe = "sm__pipe_", kActive = "_cycles_active.";
  if (const std::size_t end = metric.find(kActive); metric.starts_with(kPipe) && end != std::string_view::npos)
    return fmt::format("{} pipe", metric.substr(kPipe.size(), end - kPipe.size()));
  return std::string(metric);
}

}  // namespace

const std::vector<Section>& sections() {
  static const std::vector<Section> all = {
      {"Time",
       {{"cycles", "gpc__cycles_elapsed.max"},
        {"duration", "gpu__time_duration.sum"},
        {"SM active cycles", "sm__cycles_active.avg"}}},
      {"Time line of the launch",
       {{"launch", "sassim__phase_launch.cycles"},
        {"ramp", "sassim__phase_ramp.cycles"},
        {"full", "sassim__phase_full.cycles"},
        {"tail", "sassim__phase_tail.cycles"},
        {"drain", "sassim__phase_drain.cycles"}}},
      {"GPU Speed of Light",
       {{"compute (SM)", "sm__throughput.avg.pct_of_peak_sustained_elapsed"},
        {"memory", "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"},
        {"L1, while active", "l1tex__throughput.avg.pct_of_peak_sustained_active"},
        {"L2", "lts__throughput.avg.pct_of_peak_sustained_elapsed"},
        {"hottest L2 slice's atomics", "sassim__lts_atomic_hottest.pct_of_peak"},
        {"DRAM", "dram__throughput.avg.pct_of_peak_sustained_elapsed"}}},
      {"Launch and Occupancy",
       {{"blocks", "launch__grid_size"},
        {"registers per thread", "launch__registers_per_thread"},
        {"shared memory per block", "launch__shared_mem_per_block"},
        {"waves", "launch__waves_per_multiprocessor"},
        {"blocks per SM", "launch__occupancy_per_sm"},
        {"limit by registers", "launch__occupancy_limit_registers"},
        {"limit by shared memory", "launch__occupancy_limit_shared_mem"},
        {"limit by warps", "launch__occupancy_limit_warps"},
        {"limit by blocks", "launch__occupancy_limit_blocks"},
        {"theoretical occupancy", "sm__maximum_warps_per_active_cycle_pct"},
        {"achieved occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active"},
        {"block slots idle in the tail", "sassim__tail_idle.pct"}}},
      {"Scheduler",
       {{"active warps", "smsp__warps_active.avg.per_cycle_active"},
        {"eligible warps", "smsp__warps_eligible.avg.per_cycle_active"},
        {"issued", "smsp__issue_active.avg.pct_of_peak_sustained_active"},
        {"no eligible warp", "smsp__issue_inst0.avg.pct_of_peak_sustained_active"}}},
      {"Instructions",
       {{"warp instructions", "smsp__inst_executed.sum"},
        {"per cycle and active SM", "sm__inst_executed.avg.per_cycle_active"},
        {"threads per instruction", "smsp__thread_inst_executed_per_inst_executed.ratio"}}},
  };
  return all;
}

std::vector<Part> parts_of(const stats::MetricSet& m, std::string_view throughput) {
  std::vector<Part> parts;
  const stats::Metric* whole = m.find(throughput);
  if (whole == nullptr) return parts;
  for (const std::string& name : whole->row->parts)
    if (m.has(name)) parts.push_back({part_label(name), name, m[name]});
  std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.value > b.value; });
  return parts;
}

std::vector<OccupancyLimit> occupancy_limiters(const stats::MetricSet& m) {
  static constexpr OccupancyLimit kLimits[] = {{"registers", "launch__occupancy_limit_registers"},
                                               {"shared memory", "launch__occupancy_limit_shared_mem"},
                                               {"the number of blocks", "launch__occupancy_limit_blocks"},
                                               {"the number of warps", "launch__occupancy_limit_warps"}};
  std::vector<OccupancyLimit> tightest;
  for (const OccupancyLimit& limit : kLimits) {
    if (!m.has(limit.metric)) return {};
    // Without shared memory its limit is the number of blocks.
    if (limit.resource == "shared memory" && value_of(m, "launch__shared_mem_per_block") == 0) continue;
    if (!tightest.empty() && m[limit.metric] > m[tightest.front().metric]) continue;
    if (!tightest.empty() && m[limit.metric] < m[tightest.front().metric]) tightest.clear();
    tightest.push_back(limit);
  }
  return tightest;
}

std::vector<MemoryRow> memory_rows(const stats::MetricSet& m) {
  std::vector<MemoryRow> rows;
  const auto of = [&](std::string_view name) { return value_of(m, name); };
  rows.push_back({"L1", "all", of("l1tex__t_requests.sum"), of("l1tex__t_sectors.sum"),
                  of("l1tex__t_sector_hit_rate.pct"), of("l1tex__t_sectors.sum") * 32,
                  of("l1tex__throughput.avg.pct_of_peak_sustained_active")});
  const std::pair<const char*, const char*> l1[] = {
      {"global loads", "lsu_mem_global_op_ld"}, {"global stores", "lsu_mem_global_op_st"},
      {"atomics", "lsu_mem_global_op_atom"},    {"reductions", "lsu_mem_global_op_red"},
      {"local loads", "lsu_mem_local_op_ld"},   {"local stores", "lsu_mem_local_op_st"},
      {"textures", "tex_mem_texture"},          {"surface stores", "tex_mem_surface_op_st"}};
  for (const auto& [access, pipe] : l1) rows.push_back(l1_row(m, access, pipe));
  rows.push_back({"L2", "all", of("lts__t_requests.sum"), of("lts__t_sectors.sum"),
                  of("sassim__lts_sector_hit_rate.pct"), of("lts__t_sectors.sum") * 32,
                  of("lts__throughput.avg.pct_of_peak_sustained_elapsed")});
  const std::pair<const char*, const char*> l2[] = {
      {"reads", "read"}, {"writes", "write"}, {"atomics", "atom"}, {"reductions", "red"}};
  for (const auto& [access, kind] : l2) rows.push_back(l2_row(m, access, kind));
  rows.push_back({"DRAM", "all", of("sassim__dram_accesses_read.sum") + of("sassim__dram_accesses_write.sum"),
                  of("dram__sectors_read.sum") + of("dram__sectors_write.sum"), -1, of("dram__bytes.sum"),
                  of("dram__throughput.avg.pct_of_peak_sustained_elapsed")});
  rows.push_back({"DRAM", "reads", of("sassim__dram_accesses_read.sum"), of("dram__sectors_read.sum"), -1,
                  of("dram__bytes_read.sum"), -1});
  rows.push_back({"DRAM", "writes", of("sassim__dram_accesses_write.sum"), of("dram__sectors_write.sum"), -1,
                  of("dram__bytes_write.sum"), -1});
  std::erase_if(rows, [](const MemoryRow& row) { return row.sectors <= 0 && row.requests <= 0; });
  return rows;
}

std::vector<SharedRow> shared_rows(const stats::MetricSet& m) {
  std::vector<SharedRow> rows;
  for (const auto& [access, kind] :
       {std::pair("loads", "ld"), std::pair("stores", "st"), std::pair("atomics", "atom")}) {
    const auto of = [&, k = kind](std::string_view form) { return value_of(m, fmt::format(fmt::runtime(form), k)); };
    const SharedRow row{
        access, of("smsp__inst_executed_op_shared_{}.sum"), of("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{}.sum"),
        of("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{}.sum"), of("sassim__shared_conflict_ways_op_{}.ratio")};
    if (row.instructions > 0) rows.push_back(row);
  }
  return rows;
}

std::vector<Share> warp_states(const stats::MetricSet& m) {
  std::vector<Share> states = with_prefix(m, "sassim__warp_cycles_", ".sum");
  const double issued = std::max(value_of(m, "smsp__inst_executed.sum"), 1.0);
  for (Share& state : states) state.per_issue = state.cycles / issued;
  return states;
}

std::vector<PipeUse> instruction_mix(const stats::MetricSet& m) {
  std::vector<PipeUse> pipes;
  for (const Share& pipe : with_prefix(m, "sm__inst_executed_pipe_", ".sum"))
    pipes.push_back(
        {pipe.name, pipe.cycles,
         value_of(m, fmt::format("sm__pipe_{}_cycles_active.avg.pct_of_peak_sustained_elapsed", pipe.name))});
  return pipes;
}

}  // namespace sassim::report
