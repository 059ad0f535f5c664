// SPDX-License-Identifier: Apache-2.0
// Writes the JSON of --timeline: rows of blocks, warps and their states, and curves of counters.
#include "sim/timeline/perfetto.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/base/version.h"

namespace sassim::timeline {

namespace {

constexpr unsigned kGpu = 1;  ///< process of the kernels and counters; SM n is process kFirstSm + n
constexpr unsigned kFirstSm = 10;
constexpr unsigned kBlockRow = 1000, kWarpRow = 2000;  ///< threads; the states of a warp come after the warp

std::string json_string(std::string_view text) { return nlohmann::json(text).dump(); }

class Events {
 public:
  explicit Events(const std::function<void(std::string_view)>& write) : write_(write) {}

  void name_process(unsigned process, std::string_view name) {
    metadata(process, 0, "process_name", "name", json_string(name));
    metadata(process, 0, "process_sort_index", "sort_index", std::to_string(process));
  }
  void name_row(unsigned process, unsigned row, std::string_view name) {
    metadata(process, row, "thread_name", "name", json_string(name));
    metadata(process, row, "thread_sort_index", "sort_index", std::to_string(row));
  }
  void slice(unsigned process, unsigned row, const Span& span, std::string_view name, const std::string& arguments) {
    event(fmt::format(R"({{"ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"name":{}{}}})", process, row, span.from,
                      span.until - span.from, json_string(name),
                      arguments.empty() ? "" : fmt::format(R"(,"args":{{{}}})", arguments)));
  }
  /// `values`: name and value of each curve of the counter.
  void counter(std::string_view name, std::uint64_t at, const std::string& values) {
    event(fmt::format(R"({{"ph":"C","pid":{},"ts":{},"name":{},"args":{{{}}}}})", kGpu, at, json_string(name), values));
  }

 private:
  void metadata(unsigned process, unsigned row, const char* what, const char* key, const std::string& value) {
    event(fmt::format(R"({{"ph":"M","pid":{},"tid":{},"name":"{}","args":{{"{}":{}}}}})", process, row, what, key,
                      value));
  }
  void event(const std::string& text) {
    write_(first_ ? "\n" : ",\n");
    write_(text);
    first_ = false;
  }

  const std::function<void(std::string_view)>& write_;
  bool first_ = true;
};

std::string joined(const Span& span, std::string_view of) {
  return span.count == 1 ? "" : fmt::format(R"("shows":"the longest of {} {}")", span.count, of);
}

void write_states(const Recorder& recorder, unsigned process, std::uint32_t place, const Lane& lane, Events& events) {
  const unsigned row = kWarpRow + 2 * place + 1;
  events.name_row(process, row, fmt::format("warp slot {}: state", place));
  for (const Span& span : lane.spans()) {
    const auto reason = static_cast<arch::StallReason>(span.label & 0xff);
    const auto line = static_cast<std::uint32_t>(span.label >> 8);
    const std::string sass = recorder.kernels().sass(span.from, line);
    const std::string pc = fmt::format("{:#06x}", recorder.kernels().pc(span.from, line));
    std::string arguments = fmt::format(R"("pc":"{}")", pc);
    if (reason != arch::StallReason::selected) arguments += fmt::format(R"(,"next":{})", json_string(sass));
    if (span.count != 1) arguments += "," + joined(span, "states");
    events.slice(process, row, span, reason == arch::StallReason::selected ? sass : stall_name(reason), arguments);
  }
}

void write_sm(const Recorder& recorder, std::uint32_t sm, Events& events) {
  const SmTracks& tracks = recorder.tracks(sm);
  if (tracks.blocks.empty()) return;
  const unsigned process = kFirstSm + sm;
  events.name_process(process, tracks.resolution == 0 ? fmt::format("SM {}", sm)
                                                      : fmt::format("SM {} (to {} cycles)", sm, tracks.resolution));
  for (unsigned row = 0; row < tracks.blocks.size(); ++row) {
    events.name_row(process, kBlockRow + row, fmt::format("block slot {}", row));
    for (const Span& span : tracks.blocks[row].spans())
      events.slice(process, kBlockRow + row, span, fmt::format("block {}", span.label), joined(span, "blocks"));
  }
  for (const auto& [place, lane] : tracks.warps) {
    const unsigned row = kWarpRow + 2 * place;
    events.name_row(process, row, fmt::format("warp slot {}", place));
    for (const Span& span : lane.spans())
      events.slice(process, row, span, fmt::format("block {} warp {}", span.label >> 8, span.label & 0xff),
                   joined(span, "warps"));
  }
  for (const auto& [place, lane] : tracks.states) write_states(recorder, process, place, lane, events);
}

double share(std::uint64_t part, double whole) { return whole == 0 ? 0 : 100 * static_cast<double>(part) / whole; }

/// What the curves that every timeline has are made of.
const struct CurveNames {
  stats::CounterName warp_cycles{"sm__warps_active.sum"}, executed{"smsp__inst_executed.sum"};
  stats::CounterName l1_sectors{"l1tex__t_sectors.sum"}, l1_hits{"l1tex__t_sectors_lookup_hit.sum"};
  stats::CounterName l2_sectors{"lts__t_sectors.sum"}, l2_hits{"lts__t_sectors_lookup_hit.sum"};
  stats::CounterName dram_read{"dram__bytes_read.sum"}, dram_written{"dram__bytes_write.sum"};
} kCurves;

/// The counters that were chosen beside those.
std::vector<stats::Count> chosen(const arch::CountsOverTime& counts) {
  const std::vector<stats::Count>& usual = arch::usual_series();
  std::vector<stats::Count> all;
  for (const stats::Count& counter : counts.counters)
    if (std::find(usual.begin(), usual.end(), counter) == usual.end()) all.push_back(counter);
  return all;
}

void write_counters(const KernelSpan& kernel, const CounterPeaks& peaks, const Window& window, Events& events) {
  const arch::CountsOverTime& counts = kernel.counts;
  const std::vector<stats::Count> others = chosen(counts);
  for (std::size_t i = 0; i < counts.intervals.size(); ++i) {
    const std::uint64_t from = kernel.start + i * counts.interval;
    const std::uint64_t until = std::min(from + counts.interval, kernel.end);
    if (from >= until || until <= window.from.value || from >= window.until.value) continue;
    const double cycles = static_cast<double>(until - from), sms = peaks.sms;
    const auto of = [&](stats::Counter counter) { return counts.count(i, counter); };
    const auto percent = [&](const char* name, std::uint64_t part, double whole) {
      events.counter(name, from, fmt::format(R"("%":{:.6g})", share(part, whole)));
    };
    percent("occupancy (%)", of(kCurves.warp_cycles), cycles * sms * peaks.warps_per_sm);
    percent("issue slots used (%)", of(kCurves.executed), cycles * sms * peaks.issues_per_cycle);
    percent("L1 hit rate (%)", of(kCurves.l1_hits), static_cast<double>(of(kCurves.l1_sectors)));
    percent("L2 hit rate (%)", of(kCurves.l2_hits), static_cast<double>(of(kCurves.l2_sectors)));
    events.counter("L1 sectors", from, fmt::format(R"("sectors":{})", of(kCurves.l1_sectors)));
    events.counter("L2 sectors", from, fmt::format(R"("sectors":{})", of(kCurves.l2_sectors)));
    events.counter("DRAM bytes", from,
                   fmt::format(R"("read":{},"written":{})", of(kCurves.dram_read), of(kCurves.dram_written)));
    for (const stats::Count& counter : others)
      events.counter(counter.row().name, from, fmt::format("{}:{}", json_string(counter.row().unit), of(counter)));
  }
  if (counts.intervals.empty() || kernel.end >= window.until.value) return;
  for (const char* name : {"occupancy (%)", "issue slots used (%)", "L1 hit rate (%)", "L2 hit rate (%)"})
    events.counter(name, kernel.end, R"("%":0)");
}

}  // namespace

void write_perfetto(const Recorder& recorder, const CounterPeaks& peaks,
                    const std::function<void(std::string_view)>& write) {
  write("{\"traceEvents\":[");
  Events events(write);
  const Window& window = recorder.selection().window;
  events.name_process(kGpu, "GPU");
  events.name_row(kGpu, 1, "kernels");
  for (const KernelSpan& kernel : recorder.kernels().kernels()) {
    const std::uint64_t from = std::max(kernel.start, window.from.value);
    const std::uint64_t until = std::min(kernel.end, window.until.value);
    if (from < until) events.slice(kGpu, 1, {from, until, 0, 0, 1}, kernel.name, "");
    write_counters(kernel, peaks, window, events);
  }
  for (std::uint32_t sm = 0; sm < recorder.sms(); ++sm) write_sm(recorder, sm, events);
  write(
      fmt::format("\n],\n\"displayTimeUnit\":\"ms\",\n\"otherData\":{{\"version\":{},\"time\":\"one microsecond is one "
                  "cycle of the SM clock\"}}}}\n",
                  json_string(kVersion)));
}

}  // namespace sassim::timeline
