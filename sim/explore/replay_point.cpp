// SPDX-License-Identifier: Apache-2.0
// Replays the traces of one point of `sassim explore` in its process, if they are unchanged.
#include "sim/explore/replay_point.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "sim/base/error.h"
#include "sim/base/json_number.h"
#include "sim/base/printable.h"
#include "sim/replay/run.h"
#include "sim/report/result.h"
#include "sim/trace/open.h"

namespace sassim::explore {

namespace {

using Json = nlohmann::ordered_json;
using Kernels = std::vector<std::shared_ptr<trace::BlockSource>>;

/// Points are stored as JSON, so that paths must be UTF-8.
void check_path(const std::string& path) {
  if (printable(path) != path)
    throw InputError(
        "{}: a study cannot store this path, because some of its bytes are not UTF-8 or not printable; rename the file",
        printable(path));
}

Kernels open_all(const std::vector<std::string>& traces) {
  Kernels kernels;
  for (const std::string& path : traces)
    for (auto& kernel : trace::open(path)) kernels.push_back(std::move(kernel));
  return kernels;
}

/// Identifies the traces by content and the replay's options, independent of where the files are.
std::string content_of(const Kernels& kernels, const Replay& replay) {
  Json hashes = Json::array();
  for (const auto& kernel : kernels) hashes.push_back(kernel->hash());
  return Json{{"traces", hashes},
              {"caches", replay.caches},
              {"allow_arch_mismatch", replay.allow_arch_mismatch},
              {"no_progress_cycles", replay.no_progress_cycles}}
      .dump();
}

class ReplayKind : public campaign::PointKind {
 public:
  std::string run(const config::GpuConfig& config, const campaign::Point& point) const override {
    const OpenReplay replay = open_replay(point);
    report::RunReport report = replay::run(config, replay.kernels, replay.options);
    // The campaign keeps the GPU once, and lines of SASS are not metrics.
    report.config_json.clear();
    for (report::KernelReport& kernel : report.kernels) kernel.lines.clear();
    return report::to_json(report).dump(1) + "\n";
  }
};

const Registered<campaign::PointKind, ReplayKind> replay_registered("replay");

}  // namespace

ReplayPoints::ReplayPoints(Replay replay) : kernels_(open_all(replay.traces)), content_(content_of(kernels_, replay)) {
  for (std::string& trace : replay.traces) check_path(trace);
  for (std::string& trace : replay.traces) trace = std::filesystem::absolute(trace).lexically_normal().string();
  workload_ = Json{{"traces", replay.traces},
                   {"caches", replay.caches},
                   {"allow_arch_mismatch", replay.allow_arch_mismatch},
                   {"no_progress_cycles", replay.no_progress_cycles}}
                  .dump();
}

campaign::Point ReplayPoints::make(std::shared_ptr<const config::GpuConfig> config, std::string label,
                                   std::string kind) const {
  return {std::move(kind), std::move(config), workload_, content_, std::move(label)};
}

OpenReplay open_replay(const campaign::Point& point) {
  const Json json = Json::parse(point.workload);
  Replay replay;
  replay.traces = json.at("traces").get<std::vector<std::string>>();
  replay.caches = json.at("caches").get<std::string>();
  replay.allow_arch_mismatch = json.at("allow_arch_mismatch").get<bool>();
  replay.no_progress_cycles = whole_at<std::uint64_t>(json, "no_progress_cycles");
  OpenReplay open{open_all(replay.traces), {}};
  if (content_of(open.kernels, replay) != point.content)
    throw InputError("{}: has changed since the study began; run its command again", replay.traces.front());
  open.options.caches = replay::cache_start(replay.caches);
  open.options.allow_arch_mismatch = replay.allow_arch_mismatch;
  open.options.no_progress_cycles = replay.no_progress_cycles;
  return open;
}

}  // namespace sassim::explore
