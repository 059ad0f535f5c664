// SPDX-License-Identifier: Apache-2.0
// What the library's Configuration, Trace and Gpu hold inside.
#pragma once

#include <sassim/gpu.h>

#include <memory>
#include <string>
#include <vector>

#include "arch/gpu/gpu.h"
#include "sim/config/gpu_config.h"
#include "sim/stats/metrics.h"
#include "sim/trace/kernel.h"

namespace sassim {

struct Configuration::Impl {
  config::GpuConfig config;
};

struct Trace::Impl {
  std::vector<std::shared_ptr<trace::BlockSource>> kernels;
  std::vector<std::string> paths;  ///< the file of each kernel
};

struct Gpu::Impl {
  Configuration configuration;
  std::unique_ptr<arch::Gpu> gpu{};
  std::uint64_t launched = 0;  ///< launches of earlier runs
  bool in_system = false;      ///< only its system runs it
};

}  // namespace sassim

namespace sassim::library {

KernelInfo info_of(const trace::BlockSource& source);
Metrics metrics_of(const stats::MetricSet& metrics);

}  // namespace sassim::library
