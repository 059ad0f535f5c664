// SPDX-License-Identifier: Apache-2.0
#include "sim/study/replay_point.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "arch/gpu.h"
#include "sim/base/error.h"
#include "sim/report/result.h"
#include "sim/study/run.h"
#include "sim/trace/open.h"

namespace sassim::study {

namespace {

using Json = nlohmann::ordered_json;
using Kernels = std::vector<std::shared_ptr<trace::BlockSource>>;

Kernels open_all(const std::vector<std::string>& traces) {
  Kernels kernels;
  for (const std::string& path : traces)
    for (auto& kernel : trace::open(path)) kernels.push_back(std::move(kernel));
  return kernels;
}

/// Names what is replayed and how, wherever the files lie.
std::string content_of(const Kernels& kernels, const Replay& replay) {
  Json hashes = Json::array();
  for (const auto& kernel : kernels) hashes.push_back(kernel->hash());
  return Json{{"traces", hashes},
              {"caches", replay.caches},
              {"allow_arch_mismatch", replay.allow_arch_mismatch},
              {"no_progress_cycles", replay.no_progress_cycles}}
      .dump();
}

arch::CacheStart cache_start(const std::string& name) {
  return name == "keep" ? arch::CacheStart::keep : name == "warm" ? arch::CacheStart::warm : arch::CacheStart::cold;
}

class ReplayKind : public PointKind {
 public:
  std::string run(const config::GpuConfig& config, const Point& point) const override {
    const Json json = Json::parse(point.workload);
    Replay replay{json.at("traces"), json.at("caches"), json.at("allow_arch_mismatch"), json.at("no_progress_cycles")};
    const Kernels kernels = open_all(replay.traces);
    if (content_of(kernels, replay) != point.content)
      throw InputError("{}: has changed since the study began; run its command again", replay.traces.front());
    arch::RunOptions options;
    options.caches = cache_start(replay.caches);
    options.allow_arch_mismatch = replay.allow_arch_mismatch;
    options.no_progress_cycles = replay.no_progress_cycles;
    report::RunReport report = study::run(config, kernels, options);
    // The GPU is kept once per campaign; the lines of SASS are no metrics.
    report.config_json.clear();
    for (report::KernelReport& kernel : report.kernels) kernel.lines.clear();
    return report::to_json(report).dump(1) + "\n";
  }
};

const Registered<PointKind, ReplayKind> registered("replay");

}  // namespace

ReplayPoints::ReplayPoints(Replay replay) : content_(content_of(open_all(replay.traces), replay)) {
  for (std::string& trace : replay.traces) trace = std::filesystem::absolute(trace).lexically_normal().string();
  workload_ = Json{{"traces", replay.traces},
                   {"caches", replay.caches},
                   {"allow_arch_mismatch", replay.allow_arch_mismatch},
                   {"no_progress_cycles", replay.no_progress_cycles}}
                  .dump();
}

Point ReplayPoints::make(std::shared_ptr<const config::GpuConfig> config, std::string label) const {
  return {"replay", std::move(config), workload_, content_, std::move(label)};
}

}  // namespace sassim::study
