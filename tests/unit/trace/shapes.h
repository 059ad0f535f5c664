// SPDX-License-Identifier: Apache-2.0
// Streams of the shape that common kernels have, to measure sizes and rates with. Each function fills one vector again:
// page faults of fresh ones take longer than all else.
#pragma once

#include "tests/unit/trace/streams.h"

namespace sassim::trace {

/// c[i] = a[i] + b[i], one element a thread: 20 instructions, three accesses.
inline const std::vector<Step>& vector_add_warp(std::uint64_t block, std::uint64_t warp) {
  thread_local std::vector<Step> steps;
  steps.clear();
  const std::uint64_t first = (block * 256 + warp * 32) * 4;
  for (std::uint32_t pc = 0; pc < 20; ++pc) {
    if (pc == 10)
      steps.push_back(affine(pc, 0x7f1200000000 + first, 4));
    else if (pc == 11)
      steps.push_back(affine(pc, 0x7f1210000000 + first, 4));
    else if (pc == 14)
      steps.push_back(affine(pc, 0x7f1220000000 + first, 4));
    else
      steps.push_back(plain(pc));
  }
  return steps;
}

/// A tiled SGEMM: per tile of 8 in k, 2 global loads, 2 shared stores in alternating buffers, then 8 times 4 wide
/// shared loads and 64 FFMA; 64 global stores at the end.
inline const std::vector<Step>& sgemm_warp(std::uint64_t block, std::uint64_t warp, std::uint64_t tiles = 16) {
  thread_local std::vector<Step> steps;
  steps.clear();
  const std::uint64_t row = block / 8 * 128 + warp * 16, column = block % 8 * 128;
  for (std::uint32_t pc = 0; pc < 40; ++pc) steps.push_back(plain(pc));
  for (std::uint64_t tile = 0; tile < tiles; ++tile) {
    std::uint32_t pc = 40;
    for (const std::uint64_t matrix : {0x7f1200000000 + row * 4096, 0x7f1300000000 + column * 4}) {
      Step load = affine(pc++, 0, 0);
      for (std::uint64_t lane = 0; lane < 32; ++lane)
        load.addresses.list()[lane] = matrix + lane / 2 * 4096 + lane % 2 * 16 + tile * 32;
      steps.push_back(load);
    }
    for (int half = 0; half < 2; ++half)
      steps.push_back(affine(pc++, 8192 * (tile % 2) + warp * 512 + 4096 * static_cast<std::uint64_t>(half), 16,
                             isa::Space::shared));
    steps.push_back(plain(pc++));
    for (std::uint64_t k = 0; k < 8; ++k) {
      for (std::uint64_t part = 0; part < 4; ++part) {
        Step load = affine(pc++, 0, 0, isa::Space::shared);
        for (std::uint64_t lane = 0; lane < 32; ++lane)
          load.addresses.list()[lane] =
              8192 * (tile % 2) + k * 512 + part * 64 + (part < 2 ? lane / 8 : lane % 8) * 16 + warp * 64;
        steps.push_back(load);
      }
      for (int ffma = 0; ffma < 64; ++ffma) steps.push_back(plain(pc++));
    }
    for (int i = 0; i < 4; ++i) steps.push_back(plain(pc++));
  }
  for (std::uint32_t i = 0; i < 64; ++i)
    steps.push_back(affine(600 + i, 0x7f1400000000 + (row + i / 8) * 4096 + (column + i % 8 * 8) * 4, 4));
  return steps;
}

inline std::shared_ptr<const BlockTrace> block_of_shape(const KernelInfo& kernel, std::uint64_t linear, bool sgemm,
                                                        const std::shared_ptr<BodyPool>& pool = nullptr) {
  auto block = std::make_shared<BlockTrace>();
  block->id = block_position(kernel.grid, linear);
  WarpStreamBuilder builder(kernel, pool);
  for (std::uint32_t warp = 0; warp < kernel.warps_per_block(); ++warp) {
    for (const Step& step : sgemm ? sgemm_warp(linear, warp) : vector_add_warp(linear, warp)) builder.append(step);
    block->warps.push_back(builder.finish());
  }
  return block;
}

}  // namespace sassim::trace
