// SPDX-License-Identifier: Apache-2.0
#include "sim/study/run.h"

#include <fmt/format.h>

#include <chrono>

#include <nlohmann/json.hpp>

#include "sim/config/dump.h"
#include "sim/study/kernel_report.h"

namespace sassim::study {

report::RunReport run(const config::GpuConfig& config, const std::vector<std::shared_ptr<trace::BlockSource>>& kernels,
                      const arch::RunOptions& options) {
  report::RunReport report;
  report.config_name = config::shown_name(config);
  report.config_hash = config::config_hash(config);
  report.config_json = config::to_json(config).dump();
  const auto began = std::chrono::steady_clock::now();
  arch::Gpu gpu(config);
  for (const auto& source : kernels) {
    report::KernelReport& kernel = report.kernels.emplace_back(kernel_report(*source, gpu.run(*source, options)));
    if (source->kernel().sm != config.arch)
      kernel.notes.push_back(fmt::format("a trace of sm_{} on a GPU of sm_{}", source->kernel().sm, config.arch));
    report.host.warp_instructions += kernel.warp_instructions;
  }
  report.host.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  report.host.threads = options.threads;
  report.host.peak_rss_bytes = report::peak_rss_bytes();
  return report;
}

}  // namespace sassim::study
