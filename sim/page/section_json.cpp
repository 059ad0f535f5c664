// SPDX-License-Identifier: Apache-2.0
// Copies the tables of the terminal report of a launch into JSON, for the scripts of pages.
#include "sim/page/section_json.h"

#include <string>
#include <utility>

#include "sim/report/sections.h"

namespace sassim::page {

namespace {

using Json = nlohmann::ordered_json;

/// A level or a unit that lacks the value has a negative one.
Json known(double value) { return value < 0 ? Json() : Json(value); }

Json parts_json(const stats::MetricSet& metrics) {
  Json all = Json::object();
  for (const report::Section& section : report::sections())
    for (const report::SectionEntry& entry : section.entries) {
      Json parts = Json::array();
      for (const report::Part& part : report::parts_of(metrics, entry.metric))
        parts.push_back({{"label", part.label}, {"metric", part.metric}, {"value", part.value}});
      if (!parts.empty()) all[std::string(entry.metric)] = std::move(parts);
    }
  return all;
}

Json memory_json(const stats::MetricSet& metrics) {
  Json rows = Json::array();
  for (const report::MemoryRow& row : report::memory_rows(metrics))
    rows.push_back({{"level", row.level},
                    {"access", row.access},
                    {"requests", known(row.requests)},
                    {"sectors", known(row.sectors)},
                    {"hit_rate", known(row.hit_rate)},
                    {"bytes", known(row.bytes)},
                    {"peak", known(row.peak)}});
  return rows;
}

Json shared_json(const stats::MetricSet& metrics) {
  Json rows = Json::array();
  for (const report::SharedRow& row : report::shared_rows(metrics))
    rows.push_back({{"access", row.access},
                    {"requests", row.instructions},
                    {"passes", row.passes},
                    {"ways", row.ways},
                    {"conflicts", row.conflicts}});
  return rows;
}

}  // namespace

Json sections_json() {
  Json all = Json::array();
  for (const report::Section& section : report::sections()) {
    Json entries = Json::array();
    for (const report::SectionEntry& entry : section.entries)
      entries.push_back({{"label", entry.label}, {"metric", entry.metric}});
    all.push_back({{"title", section.title}, {"entries", std::move(entries)}});
  }
  return {{"list", std::move(all)}, {"ways", report::kWaysMeaning}};
}

Json tables_json(const report::KernelReport& kernel) {
  const stats::MetricSet& metrics = kernel.metrics;
  Json limiters = Json::array(), mix = Json::array(), states = Json::array();
  for (const report::OccupancyLimit& limit : report::occupancy_limiters(metrics)) limiters.push_back(limit.resource);
  for (const report::PipeUse& pipe : report::instruction_mix(metrics))
    mix.push_back({{"pipe", pipe.name}, {"instructions", pipe.instructions}, {"peak", known(pipe.of_peak)}});
  for (const report::Share& state : report::warp_states(metrics))
    states.push_back({{"reason", state.name}, {"cycles", state.cycles}, {"per_issue", state.per_issue}});
  return {{"parts", parts_json(metrics)},   {"limiters", std::move(limiters)}, {"mix", std::move(mix)},
          {"memory", memory_json(metrics)}, {"shared", shared_json(metrics)},  {"states", std::move(states)}};
}

}  // namespace sassim::page
