// SPDX-License-Identifier: Apache-2.0
// Simulates a workload once, watching L1s and L2, and gives their hit rates over cache sizes.
#include "sim/explore/miss_curves.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "arch/gpu/gpu.h"
#include "sim/base/error.h"
#include "sim/base/json_number.h"
#include "sim/base/types.h"
#include "sim/config/gpu_config.h"
#include "sim/explore/replay_point.h"

namespace sassim::explore {

namespace {

using Json = nlohmann::ordered_json;

/// Has one LRU stack for each L1 and each L2 slice.
class Recorder : public arch::AccessObserver {
 public:
  explicit Recorder(const config::GpuConfig& config) : config_(config) { start(); }

  void l1_access(SmId sm, const arch::CacheAccess& access) override {
    take(l1_[sm.value], access, SectoredLru::Write::hits_with_its_line);
  }
  void l2_access(std::uint32_t slice, const arch::CacheAccess& access) override {
    take(l2_[slice], access, SectoredLru::Write::always_hits);
  }
  /// Empties the caches and keeps the counts.
  void start() {
    collect(l1_, l1_counts_);
    collect(l2_, l2_counts_);
    const config::L1Config& l1 = config_.sm.l1;
    const config::L2Config& l2 = config_.memory.l2;
    l1_.assign(config_.sm.count, SectoredLru(l1.line / l1.sector, 1));
    l2_.assign(l2.slices, SectoredLru(l2.line / kSectorBytes, l2.fetch / kSectorBytes));
  }
  const HitCounts& l1() const { return l1_counts_; }
  const HitCounts& l2() const { return l2_counts_; }

 private:
  static void take(SectoredLru& cache, const arch::CacheAccess& access, SectoredLru::Write how) {
    switch (access.kind) {
      case arch::CacheAccess::Kind::read:
        return cache.read(access.line, access.sectors);
      case arch::CacheAccess::Kind::write:
        return cache.write(access.line, access.sectors, access.partial, how);
      case arch::CacheAccess::Kind::pass_by:
        return cache.pass_by(access.line, access.sectors);
    }
  }
  static void collect(const std::vector<SectoredLru>& caches, HitCounts& counts) {
    for (const SectoredLru& cache : caches) counts.add(cache.counts());
  }

  config::GpuConfig config_;
  std::vector<SectoredLru> l1_, l2_;
  HitCounts l1_counts_, l2_counts_;
};

Json to_json(const HitCounts& counts, std::uint64_t bytes_per_line) {
  Json steps = Json::array();
  for (const auto& [lines, count] : counts.steps()) steps.push_back({lines, count});
  return Json{{"bytes_per_line", bytes_per_line}, {"sectors", counts.total()}, {"needed", std::move(steps)}};
}

MissCurve from_json(const Json& json) {
  HitCounts counts;
  std::uint64_t hits = 0;
  for (const Json& step : json.at("needed")) {
    const auto found = whole_number<std::uint64_t>(step.at(1), "needed");
    counts.add(whole_number<std::uint32_t>(step.at(0), "needed"), found);
    hits += found;
  }
  const auto sectors = whole_at<std::uint64_t>(json, "sectors");
  if (hits > sectors) throw InputError("{} hits in {} sectors", hits, sectors);
  counts.add(HitCounts::kNever, sectors - hits);
  return {counts, whole_at<std::uint64_t>(json, "bytes_per_line")};
}

class MissCurvesKind : public campaign::PointKind {
 public:
  std::string run(const config::GpuConfig& config, const campaign::Point& point) const override {
    OpenReplay replay = open_replay(point);
    Recorder recorder(config);
    replay.options.accesses = &recorder;
    arch::Gpu gpu(config);
    for (const auto& kernel : replay.kernels) {
      gpu.run(*kernel, replay.options);
      if (replay.options.caches == arch::CacheStart::cold) recorder.start();
    }
    recorder.start();
    return Json{{"l1", to_json(recorder.l1(), config.sm.l1.line)},
                {"l2", to_json(recorder.l2(), std::uint64_t{config.memory.l2.line} * config.memory.l2.slices)}}
               .dump() +
           "\n";
  }
};

const Registered<campaign::PointKind, MissCurvesKind> miss_curves_registered("miss_curves");

}  // namespace

MissCurve::MissCurve(const HitCounts& counts, std::uint64_t bytes_per_line)
    : sectors_(counts.total()), bytes_per_line_(bytes_per_line) {
  std::uint64_t hits = 0;
  for (const auto& [lines, count] : counts.steps()) {
    hits += count;
    steps_.push_back({lines * bytes_per_line, static_cast<double>(hits) / static_cast<double>(sectors_)});
  }
}

double MissCurve::rate(std::uint64_t bytes) const {
  const auto above =
      std::upper_bound(steps_.begin(), steps_.end(), bytes, [](std::uint64_t b, const Step& s) { return b < s.bytes; });
  return above == steps_.begin() ? 0 : std::prev(above)->rate;
}

MissCurves read_miss_curves(const std::string& json, const std::string& place) try {
  const Json parsed = Json::parse(json);
  return {from_json(parsed.at("l1")), from_json(parsed.at("l2"))};
} catch (const nlohmann::json::exception& error) {
  throw InputError("{}: not miss curves: {}", place, error.what());
} catch (const InputError& error) {
  throw InputError("{}: not miss curves: {}", place, error.what());
}

}  // namespace sassim::explore
