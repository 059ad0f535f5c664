// SPDX-License-Identifier: Apache-2.0
// Computes cudaDeviceProp and attributes from a GPU's configuration; makes a simulated device.
#include "sim/cuda/device_properties.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "sim/isa/architecture.h"

namespace sassim::cuda {

namespace {

constexpr int kMaxGrid[3] = {2147483647, 65535, 65535};
constexpr int kMaxBlock[3] = {1024, 1024, 64};

int to_int(std::uint64_t value) { return static_cast<int>(std::min<std::uint64_t>(value, 0x7fffffff)); }

int memory_bus_bits(const config::GpuConfig& gpu) {
  const auto& dram = gpu.memory.dram;
  return to_int(std::uint64_t{dram.channels} * dram.pseudo_channels * dram.bus_bits);
}

std::uint64_t shared_per_sm(const config::GpuConfig& gpu) {
  const auto& sizes = gpu.sm.occupancy.carveouts;
  return sizes.empty() ? gpu.sm.occupancy.shared_per_block : *std::max_element(sizes.begin(), sizes.end());
}

void fill_limits(const config::GpuConfig& gpu, DeviceProperties& p) {
  const config::Occupancy& limits = gpu.sm.occupancy;
  p.shared_per_block = kDefaultShared;
  p.registers_per_block = to_int(limits.registers);
  p.warp_size = 32;
  p.memory_pitch = 2147483647;
  p.max_threads_per_block = 1024;
  std::copy(std::begin(kMaxBlock), std::end(kMaxBlock), p.max_threads_dim);
  std::copy(std::begin(kMaxGrid), std::end(kMaxGrid), p.max_grid_size);
  p.total_constant_memory = 64 << 10;
  p.max_threads_per_multiprocessor = to_int(limits.threads);
  p.shared_per_multiprocessor = shared_per_sm(gpu);
  p.registers_per_multiprocessor = to_int(limits.registers);
  p.shared_per_block_optin = limits.shared_per_block;
  p.max_blocks_per_multiprocessor = to_int(limits.blocks);
  p.reserved_shared_per_block = limits.shared_reserved;
}

}  // namespace

DeviceProperties device_properties(const config::GpuConfig& gpu, unsigned ordinal) {
  DeviceProperties p{};
  const std::string name = gpu.description.empty() ? gpu.name : gpu.description;
  std::strncpy(p.name, name.c_str(), sizeof p.name - 1);
  fill_limits(gpu, p);
  p.total_global_memory = gpu.memory.size;
  p.clock_khz = to_int(gpu.clock.sm / 1000);
  p.major = gpu.arch / 10;
  p.minor = gpu.arch % 10;
  p.texture_alignment = 512;
  p.texture_pitch_alignment = 32;
  p.surface_alignment = 512;
  p.device_overlap = 1;
  p.multiprocessors = to_int(gpu.sm.count);
  p.can_map_host_memory = 1;
  p.concurrent_kernels = 1;
  p.async_engines = 1;
  p.unified_addressing = 1;
  // CUDA reports a clock that transfers data on both edges.
  p.memory_clock_khz = to_int(gpu.clock.dram * gpu.memory.dram.beats_per_clock / 2 / 1000);
  p.memory_bus_bits = memory_bus_bits(gpu);
  p.l2_bytes = to_int(gpu.memory.l2.size);
  p.stream_priorities = 1;
  p.global_l1_cache = 1;
  p.local_l1_cache = 1;
  p.managed_memory = 1;
  p.concurrent_managed = 1;
  p.single_to_double_ratio = isa::architecture(gpu.arch).single_to_double;
  p.compute_preemption = 1;
  p.host_pointer_registered = 1;
  p.cooperative_launch = 1;
  p.pci_bus = to_int(ordinal);
  p.uuid[sizeof p.uuid - 1] = static_cast<char>(ordinal);
  return p;
}

Result device_attribute(const config::GpuConfig& gpu, int attribute, int& value, unsigned ordinal) {
  const DeviceProperties p = device_properties(gpu, ordinal);
  const std::map<int, int> known = {{1, p.max_threads_per_block},
                                    {2, kMaxBlock[0]},
                                    {3, kMaxBlock[1]},
                                    {4, kMaxBlock[2]},
                                    {5, kMaxGrid[0]},
                                    {6, kMaxGrid[1]},
                                    {7, kMaxGrid[2]},
                                    {8, to_int(p.shared_per_block)},
                                    {9, to_int(p.total_constant_memory)},
                                    {10, p.warp_size},
                                    {11, to_int(p.memory_pitch)},
                                    {12, p.registers_per_block},
                                    {13, p.clock_khz},
                                    {14, to_int(p.texture_alignment)},
                                    {15, p.device_overlap},
                                    {16, p.multiprocessors},
                                    {19, p.can_map_host_memory},
                                    {30, to_int(p.surface_alignment)},
                                    {31, p.concurrent_kernels},
                                    {33, p.pci_bus},
                                    {36, p.memory_clock_khz},
                                    {37, p.memory_bus_bits},
                                    {38, p.l2_bytes},
                                    {39, p.max_threads_per_multiprocessor},
                                    {40, p.async_engines},
                                    {41, p.unified_addressing},
                                    {51, to_int(p.texture_pitch_alignment)},
                                    {75, p.major},
                                    {76, p.minor},
                                    {78, p.stream_priorities},
                                    {79, p.global_l1_cache},
                                    {80, p.local_l1_cache},
                                    {81, to_int(p.shared_per_multiprocessor)},
                                    {82, p.registers_per_multiprocessor},
                                    {83, p.managed_memory},
                                    {87, p.single_to_double_ratio},
                                    {89, p.concurrent_managed},
                                    {90, p.compute_preemption},
                                    {91, p.host_pointer_registered},
                                    {95, p.cooperative_launch},
                                    {97, to_int(p.shared_per_block_optin)},
                                    {99, 1},
                                    {106, p.max_blocks_per_multiprocessor},
                                    {111, to_int(p.reserved_shared_per_block)},
                                    {113, 1},  // read-only registration of host memory
                                    {115, 1}};
  constexpr int kLastAttribute = 120;
  if (attribute < 1 || attribute > kLastAttribute) return kInvalidValue;
  const auto found = known.find(attribute);
  value = found == known.end() ? 0 : found->second;  // other attributes are features that this GPU lacks
  return kSuccess;
}

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
