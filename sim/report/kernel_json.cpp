// SPDX-License-Identifier: Apache-2.0
// Writes and reads a kernel's report as JSON, in the three forms that files and processes use.
#include "sim/report/kernel_json.h"

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/base/error.h"
#include "sim/base/json_number.h"
#include "sim/base/printable.h"
#include "sim/report/bound.h"

namespace sassim::report {

using Json = nlohmann::ordered_json;

namespace {

Json number_json(const stats::Metric& metric) {
  if (metric.row->integral && std::abs(metric.value) < 9e15)
    return static_cast<std::int64_t>(std::llround(metric.value));
  return metric.value;
}

/// Behind the other entries. Unlike `object[name]`, it does not search for the name, of which there is none.
void append(Json& object, const std::string& name, Json value) {
  object.get_ref<Json::object_t&>().emplace_back(name, std::move(value));
}

Json dim(const Dim3& d) { return Json::array({d.x, d.y, d.z}); }

Dim3 dim_from(const Json& json) {
  const auto side = [&](std::size_t i) { return whole_number<std::uint32_t>(json.at(i), "grid or block"); };
  return {side(0), side(1), side(2)};
}

/// True when this was not said before, or something else was.
template <class Map, class Key>
bool is_news(Map& said, const Key& key, const typename Map::mapped_type& text) {
  const auto [at, added] = said.try_emplace(key, text);
  if (added) return true;
  if (at->second == text) return false;
  at->second = text;
  return true;
}

/// Whether the metrics have the names, units and parts of those of the kernel before.
bool same_rows(const std::vector<stats::Metric>& before, const std::vector<stats::Metric>& now) {
  return std::equal(before.begin(), before.end(), now.begin(), now.end(),
                    [](const stats::Metric& a, const stats::Metric& b) { return a.row == b.row; });
}

/// Remembers the metrics of a kernel that has their names.
void remember(const std::vector<stats::Metric>& metrics, KernelRow& row) {
  row.metrics = metrics;
  std::string names;
  for (const stats::Metric& metric : metrics) names += metric.name() + "\n";
  row.names = fmt::format("{:016x}", XXH3_64bits(names.data(), names.size()));
}

/// What is the same in every launch of a kernel, so that it is written once.
std::string said_once(const LineStalls& line) {
  std::string text = line.text + "\n" + line.control + "\n" + line.file + "\n" + std::to_string(line.source_line) +
                     "\n" + line.op + "\n" + line.pipe;
  for (const std::uint32_t pc : line.waits_for) text += "\n" + std::to_string(pc);
  return text;
}

void write_static(const LineStalls& line, Json& row) {
  row["sass"] = printable(line.text);
  if (!line.control.empty()) row["control"] = line.control;
  if (!line.op.empty()) row["op"] = line.op;
  if (!line.pipe.empty()) row["pipe"] = line.pipe;
  if (!line.waits_for.empty()) row["waits_for"] = line.waits_for;
  if (!line.file.empty()) row["source"] = Json{{"file", printable(line.file)}, {"line", line.source_line}};
}

Json memory_json(const LineMemory& memory) {
  return Json{{"requests", memory.requests},
              {"sectors", memory.sectors},
              {"ideal_sectors", memory.ideal_sectors},
              {"passes", memory.passes},
              {"ideal_passes", memory.ideal_passes}};
}

Json fault_json(const KernelFault& fault) {
  return Json{{"kind", fault.kind}, {"message", fault.message}, {"pc", fault.pc}, {"sass", fault.sass}};
}

Json sampled_json(const SampledReport& sampled) {
  if (!sampled.whole.empty()) return Json{{"whole", sampled.whole}};
  return Json{{"blocks", sampled.blocks}, {"places", sampled.places}, {"cycles_interval_pct", sampled.interval_pct}};
}

SampledReport sampled_from(const Json& json) {
  return {json.value("whole", ""), whole_or(json, "blocks", std::uint64_t{0}),
          whole_or(json, "places", std::uint64_t{0}), json.value("cycles_interval_pct", 0.0)};
}

Json stratum_json(const StratumReport& stratum) {
  return Json{{"number", stratum.number},
              {"timed", stratum.timed},
              {"cycles_interval_pct", stratum.interval_pct},
              {"mean_interval_pct", stratum.mean_pct}};
}

StratumReport stratum_from(const Json& json) {
  return {whole_or(json, "number", std::uint64_t{0}), whole_or(json, "timed", std::uint64_t{0}),
          json.value("cycles_interval_pct", 0.0), json.value("mean_interval_pct", 0.0)};
}

KernelFault fault_from(const Json& json) {
  return {json.at("kind").get<std::string>(), json.at("message").get<std::string>(), whole_or(json, "pc", 0u),
          json.value("sass", "")};
}

Json series_json(const SeriesReport& series) {
  Json counters = Json::object();
  for (const auto& [name, values] : series.counters) counters[name] = values;
  return Json{{"interval", series.interval}, {"counters", std::move(counters)}};
}

SeriesReport series_from(const Json& json) {
  SeriesReport series;
  series.interval = whole_at<std::uint64_t>(json, "interval");
  for (const auto& [name, values] : json.at("counters").items())
    for (auto& counts = series.counters.emplace_back(name, std::vector<std::uint64_t>()).second;
         const Json& value : values)
      counts.push_back(whole_number<std::uint64_t>(value, name));
  return series;
}

/// The metrics of a kernel that has no names for them.
void read_values(const Json& json, const KernelRow& row, stats::MetricSet& metrics) {
  const Json& values = json.at("values");
  if (json.value("names", "") != row.names || values.size() != row.metrics.size())
    throw InputError("its metrics have the names of a kernel that is not the one before it");
  for (std::size_t i = 0; i < row.metrics.size(); ++i) metrics.add(*row.metrics[i].row, values[i].get<double>());
}

void read_metrics(const Json& json, KernelRow& row, stats::MetricSet& metrics) {
  if (json.contains("values")) return read_values(json, row, metrics);
  if (const auto parts = json.find("breakdown"); parts != json.end())
    for (const auto& [name, of] : parts->items()) row.parts[name] = of.get<std::vector<std::string>>();
  if (const auto units = json.find("units"); units != json.end())
    for (const auto& [name, unit] : units->items()) row.units[name] = unit.get<std::string>();
  for (const auto& [name, value] : json.at("metrics").items()) {
    const auto known = row.units.find(name);
    const std::string unit = known == row.units.end() ? "" : known->second;
    const auto parts = row.parts.find(name);
    metrics.read(name, unit, value.get<double>(), value.is_number_integer(),
                 parts == row.parts.end() ? std::vector<std::string>() : parts->second);
  }
  remember(metrics.all(), row);
}

void read_static(const Json& json, LineStalls& line) {
  line = LineStalls();
  line.text = json.at("sass").get<std::string>();
  line.control = json.value("control", "");
  line.op = json.value("op", "");
  line.pipe = json.value("pipe", "");
  if (const auto pcs = json.find("waits_for"); pcs != json.end())
    for (const Json& pc : *pcs) line.waits_for.push_back(whole_number<std::uint32_t>(pc, "waits_for"));
  if (const auto source = json.find("source"); source != json.end()) {
    line.file = source->at("file").get<std::string>();
    line.source_line = whole_at<std::uint32_t>(*source, "line");
  }
}

LineMemory read_memory(const Json& json) {
  return {whole_at<std::uint64_t>(json, "requests"), whole_at<std::uint64_t>(json, "sectors"),
          whole_at<std::uint64_t>(json, "ideal_sectors"), whole_at<std::uint64_t>(json, "passes"),
          whole_at<std::uint64_t>(json, "ideal_passes")};
}

/// A row as a list: PC, executions, threads, stalls by reason, and what the memory instructions asked for.
LineStalls read_list(const Json& list, const std::string& kernel, const KernelRow& row) {
  const auto pc = whole_number<std::uint32_t>(list.at(0), "pc");
  const auto known = row.lines.find({kernel, pc});
  if (known == row.lines.end()) throw InputError("nothing was said of its line at PC {}", pc);
  LineStalls line = known->second;
  line.pc = pc;
  line.executed = whole_number<std::uint64_t>(list.at(1), "executed");
  line.threads = whole_number<std::uint64_t>(list.at(2), "threads");
  for (const auto& [reason, cycles] : list.at(3).items())
    line.stalls.emplace_back(reason, whole_number<std::uint64_t>(cycles, reason));
  const auto memory = [&](std::size_t i) { return whole_number<std::uint64_t>(list.at(i), "memory"); };
  if (list.size() > 4) line.memory = {memory(4), memory(5), memory(6), memory(7), memory(8)};
  return line;
}

LineStalls read_line(const Json& json, const std::string& kernel, KernelRow& row) {
  if (json.is_array()) return read_list(json, kernel, row);
  LineStalls line;
  line.pc = whole_at<std::uint32_t>(json, "pc");
  LineStalls& known = row.lines[{kernel, line.pc}];
  if (json.contains("sass")) read_static(json, known);
  line = known;
  line.pc = whole_at<std::uint32_t>(json, "pc");
  line.executed = whole_at<std::uint64_t>(json, "executed");
  line.threads = whole_or(json, "threads", std::uint64_t{0});
  if (const auto memory = json.find("memory"); memory != json.end()) line.memory = read_memory(*memory);
  for (const auto& [reason, cycles] : json.at("stalls").items())
    line.stalls.emplace_back(reason, whole_number<std::uint64_t>(cycles, reason));
  return line;
}

}  // namespace

void KernelWriter::write_metrics(const KernelReport& kernel, Json& json) {
  const std::vector<stats::Metric>& all = kernel.metrics.all();
  const bool same = same_rows(row_.metrics, all);
  if (same && !all.empty() && form_ != KernelForm::whole) {
    json["names"] = row_.names;
    Json& values = json["values"] = Json::array();
    for (const stats::Metric& metric : all) values.push_back(number_json(metric));
    return;
  }
  Json metrics = Json::object(), units = Json::object(), breakdown = Json::object();
  for (const stats::Metric& metric : all) {
    const stats::CounterRow& row = *metric.row;
    append(metrics, row.name, number_json(metric));
    if (same) continue;
    if (is_news(row_.units, row.name, row.unit)) append(units, row.name, row.unit);
    if (!row.parts.empty() && is_news(row_.parts, row.name, row.parts)) append(breakdown, row.name, row.parts);
  }
  if (!same) remember(all, row_);
  json["metrics"] = std::move(metrics);
  if (!units.empty()) json["units"] = std::move(units);
  if (!breakdown.empty()) json["breakdown"] = std::move(breakdown);
}

Json KernelWriter::write_line(const KernelReport& kernel, const LineStalls& line) {
  const bool news = is_news(row_.sass, std::pair(kernel.name, line.pc), said_once(line));
  Json stalls = Json::object();
  for (const auto& [reason, cycles] : line.stalls) append(stalls, reason, cycles);
  const LineMemory& memory = line.memory;
  if (!news && form_ != KernelForm::whole) {
    Json list = Json::array({line.pc, line.executed, line.threads, std::move(stalls)});
    if (memory.requests == 0) return list;
    for (const std::uint64_t count :
         {memory.requests, memory.sectors, memory.ideal_sectors, memory.passes, memory.ideal_passes})
      list.push_back(count);
    return list;
  }
  Json row = {{"pc", line.pc}};
  if (news) write_static(line, row);
  row["executed"] = line.executed;
  if (line.threads != 0) row["threads"] = line.threads;
  if (memory.requests != 0) row["memory"] = memory_json(memory);
  row["stalls"] = std::move(stalls);
  return row;
}

Json KernelWriter::write(const KernelReport& kernel) {
  if (form_ == KernelForm::between) {
    if (last_ == kernel) return {{"again", true}};
    last_ = kernel;
  }
  Json json = {{"name", printable(kernel.name)},
               {"grid", dim(kernel.grid)},
               {"block", dim(kernel.block)},
               {"trace_hash", kernel.trace_hash},
               {"warp_instructions", kernel.warp_instructions}};
  write_metrics(kernel, json);
  if (!kernel.trace.empty()) json["trace"] = kernel.trace;
  if (kernel.slice_blocks != 0) json["slice"] = {{"blocks", kernel.slice_blocks}, {"of", kernel.grid.count()}};
  if (!kernel.dependence_mode.empty()) json["dependence_mode"] = kernel.dependence_mode;
  if (!kernel.notes.empty()) json["notes"] = kernel.notes;
  if (kernel.beside)
    json["beside"] = {{"group", kernel.beside->group},
                      {"kernels", kernel.beside->kernels},
                      {"ready", kernel.beside->ready},
                      {"end", kernel.beside->end}};
  if (kernel.series) json["series"] = series_json(*kernel.series);
  if (kernel.sampled) json["sampled"] = sampled_json(*kernel.sampled);
  if (kernel.stratum) json["stratum"] = stratum_json(*kernel.stratum);
  if (kernel.fault) json["fault"] = fault_json(*kernel.fault);
  if (form_ != KernelForm::between) {
    const bool brief = json.contains("values");
    if (const Bound bound = brief ? find_causes(kernel) : find_bound(kernel); !bound.causes.empty())
      json["bound"] = brief ? brief_json(bound) : to_json(bound);
  }
  if (kernel.lines.empty()) return json;
  Json lines = Json::array();
  for (const LineStalls& line : kernel.lines) lines.push_back(write_line(kernel, line));
  json["lines"] = std::move(lines);
  return json;
}

KernelReport KernelReader::read(const Json& json, const std::string& place) try {
  if (!json.contains("again")) last_ = read_new(json);
  if (!last_) throw InputError("it repeats a kernel, but there is none before it");
  return *last_;
} catch (const nlohmann::json::exception& error) {
  throw InputError("{}: not a kernel result of schema sassim-result/1: {}", place, error.what());
} catch (const InputError& error) {
  throw InputError("{}: not a kernel result of schema sassim-result/1: {}", place, error.what());
}

KernelReport KernelReader::read_new(const Json& json) {
  KernelReport kernel;
  kernel.name = json.at("name").get<std::string>();
  kernel.grid = dim_from(json.at("grid"));
  kernel.block = dim_from(json.at("block"));
  kernel.trace_hash = json.value("trace_hash", "");
  kernel.warp_instructions = whole_or(json, "warp_instructions", std::uint64_t{0});
  read_metrics(json, row_, kernel.metrics);
  kernel.trace = json.value("trace", "");
  if (const auto slice = json.find("slice"); slice != json.end())
    kernel.slice_blocks = whole_at<std::uint64_t>(*slice, "blocks");
  kernel.dependence_mode = json.value("dependence_mode", "");
  kernel.notes = json.value("notes", std::vector<std::string>{});
  if (const auto beside = json.find("beside"); beside != json.end())
    kernel.beside = {whole_at<std::uint64_t>(*beside, "group"), whole_at<std::uint64_t>(*beside, "kernels"),
                     whole_at<std::uint64_t>(*beside, "ready"), whole_at<std::uint64_t>(*beside, "end")};
  if (const auto sampled = json.find("sampled"); sampled != json.end()) kernel.sampled = sampled_from(*sampled);
  if (const auto stratum = json.find("stratum"); stratum != json.end()) kernel.stratum = stratum_from(*stratum);
  if (const auto fault = json.find("fault"); fault != json.end()) kernel.fault = fault_from(*fault);
  if (const auto series = json.find("series"); series != json.end()) kernel.series = series_from(*series);
  if (const auto lines = json.find("lines"); lines != json.end())
    for (const Json& line : *lines) kernel.lines.push_back(read_line(line, kernel.name, row_));
  return kernel;
}

}  // namespace sassim::report
