// SPDX-License-Identifier: Apache-2.0
#include "sim/cuda/device.h"

#include <utility>

namespace sassim::cuda {
namespace {

Timeline timeline_of(const config::GpuConfig& gpu) {
  const auto time = [&](std::uint32_t cycles) {
    return Picoseconds{static_cast<std::uint64_t>(cycles * 1e12 / static_cast<double>(gpu.clock.sm))};
  };
  return Timeline({.launch = time(gpu.launch.overhead_cycles),
                   .record = time(gpu.launch.event_cycles),
                   .crossing = time(gpu.launch.stream_wait)},
                  {.latency = time(gpu.launch.copy_latency),
                   .to_device = static_cast<double>(gpu.launch.copy_to_device),
                   .to_host = static_cast<double>(gpu.launch.copy_to_host),
                   .in_device_latency = time(gpu.launch.device_copy_latency),
                   .in_device = static_cast<double>(gpu.launch.device_copy),
                   .in_cache = static_cast<double>(gpu.launch.cached_copy),
                   .cache_bytes = gpu.launch.cached_copy_bytes,
                   .fill = static_cast<double>(gpu.launch.device_fill)});
}

}  // namespace

Device::Device(unsigned number, config::GpuConfig configuration, LaunchOptions launches)
    : ordinal(number),
      gpu(std::move(configuration)),
      memory(gpu.memory.size, gpu.launch.code_start, number),
      timeline(timeline_of(gpu)),
      launcher(gpu, memory, std::move(launches)) {
  timeline.use(launcher.device());
}

}  // namespace sassim::cuda
