// SPDX-License-Identifier: Apache-2.0
// All SMs read, or read and write, 16 bytes a lane, four accesses of a warp in flight at a time.
#pragma once

#include <cstdint>
#include <string>

#include "tests/micro/memory_end_to_end/chase.h"

namespace sassim::arch::test {

struct Stream {
  std::uint64_t bytes = 2 * kMiB;  ///< the array that is read, again and again
  bool copy = false;               ///< what is read is written to another array
  std::uint32_t warps = 16, blocks_per_sm = 2;
  std::uint64_t trips = 4;
};

inline KernelResult run_stream(const config::GpuConfig& config, const Stream& stream) {
  std::string text = "loop:\n";
  for (int i = 0; i < 4; ++i)
    text += "B------:R-:W" + std::to_string(i) + ":-:S02 LDG.E.128.STRONG.GPU R" + std::to_string(8 + 4 * i) +
            ", [R2.64] ;\n";
  for (int i = 0; i < 4; ++i)
    text += "B" + std::string(stream.copy ? std::to_string(i) + "-----" : "0123--") +
            (stream.copy ? ":R4:W-:-:S02 STG.E.128 [R4.64], R" + std::to_string(8 + 4 * i)
                         : ":R-:W-:-:S02 IADD3 R0, R0, 0x1, RZ") +
            " ;\n";
  text += "B----4-:R-:W-:-:S05 @P0 BRA loop ;\nEXIT ;\n";
  SassKernel kernel(text, config.arch);
  const std::uint64_t blocks = std::uint64_t{config.sm.count} * stream.blocks_per_sm;
  kernel.loop("loop", stream.trips).warps(stream.warps).blocks(static_cast<std::uint32_t>(blocks));
  kernel.addresses_by_block([=](std::uint64_t block, std::uint32_t warp, std::uint32_t line, std::uint64_t trip,
                                int lane) {
    const std::uint64_t place = ((trip * 4 + line % 4) * blocks + block) * stream.warps + warp;
    return 0x20000000 + (line < 4 ? 0 : 8 * kGiB) + place * 512 % stream.bytes + static_cast<std::uint64_t>(lane) * 16;
  });
  const auto source = kernel.source();
  Gpu gpu(config);
  return gpu.run(*source);
}

/// Bytes per second, reading and writing taken together, of the trips beyond the first `few`.
inline double gigabytes_per_second(const config::GpuConfig& config, Stream stream, std::uint64_t few,
                                   std::uint64_t many) {
  stream.trips = few;
  const KernelResult a = run_stream(config, stream);
  stream.trips = many;
  const KernelResult b = run_stream(config, stream);
  const double bytes =
      static_cast<double>(many - few) * 4 * 512 * stream.warps * config.sm.count * stream.blocks_per_sm;
  return (stream.copy ? 2 : 1) * bytes / static_cast<double>(b.cycles.value - a.cycles.value) *
         static_cast<double>(config.clock.sm) * 1e-9;
}

/// One of `parts` equal parts of a chip: SMs, slices, channels and L2 alike, with that part of its bandwidths.
inline config::GpuConfig part_of(const std::string& gpu, std::uint32_t parts) {
  config::GpuConfig config = gpu_config(gpu);
  config.sm.count /= parts;
  config.memory.l2.slices /= parts;
  config.memory.l2.size /= parts;
  config.memory.dram.channels /= parts;
  config.launch.group_sms.clear();  // the chip's groups of SMs, which a part does not have
  config.environment.flushed = 0;   // nobody profiled these programs
  return config;
}

}  // namespace sassim::arch::test
