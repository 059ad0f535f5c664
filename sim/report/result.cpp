// SPDX-License-Identifier: Apache-2.0
// Makes the JSON of a whole run, of a kernel that was stopped, and of the host's time and memory.
#include "sim/report/result.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <nlohmann/json.hpp>

#include "sim/base/printable.h"
#include "sim/base/version.h"
#include "sim/report/kernel_json.h"

namespace sassim::report {

using Json = nlohmann::ordered_json;

Json to_json(const KernelReport& kernel) { return KernelWriter().write(kernel); }

KernelReport kernel_from_json(const Json& json, const std::string& place) { return KernelReader().read(json, place); }

Json to_json(const RunReport& run) {
  KernelWriter writer;
  Json kernels = Json::array();
  for (const KernelReport& kernel : run.kernels) kernels.push_back(writer.write(kernel));
  Json json = {{"schema", "sassim-result/1"},
               {"version", kVersion},
               {"config",
                {{"name", run.config_name},
                 {"hash", run.config_hash},
                 {"resolved", run.config_json.empty() ? Json::object() : Json::parse(run.config_json)}}}};
  if (!run.commit.empty()) json["commit"] = run.commit;
  if (!run.caches.empty()) json["caches"] = run.caches;
  json["kernels"] = std::move(kernels);
  json["complete"] = run.complete;
  return json;
}

Json to_json(const HostReport& host) {
  const double rate = host.seconds > 0 ? static_cast<double>(host.warp_instructions) / host.seconds : 0;
  return Json{{"seconds", host.seconds},
              {"threads", host.threads},
              {"warp_instructions", host.warp_instructions},
              {"warp_instructions_per_second", rate},
              {"peak_rss_bytes", host.peak_rss_bytes}};
}

Json to_json(const RunningKernel& kernel) {
  Json json{{"name", printable(kernel.name)},
            {"cycles", kernel.cycles},
            {"warp_instructions", kernel.warp_instructions},
            {"blocks_ended", kernel.blocks_ended},
            {"blocks", kernel.blocks}};
  if (kernel.recording) json["recording"] = true;
  if (kernel.process != "1") json["process"] = kernel.process;
  return json;
}

std::string reused_text(std::uint64_t launches) {
  if (launches == 0) return {};
  return fmt::format("{} not simulated again: with cold caches an equal launch has an equal result (--no-skip)",
                     launches == 1 ? "1 launch was" : fmt::format("{} launches were", launches));
}

namespace {

std::uint64_t peak_rss_bytes_of(int who) {
  rusage usage{};
  getrusage(who, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace

std::uint64_t peak_rss_bytes() { return peak_rss_bytes_of(RUSAGE_SELF); }

std::uint64_t peak_rss_bytes_of_a_child() { return peak_rss_bytes_of(RUSAGE_CHILDREN); }

}  // namespace sassim::report
