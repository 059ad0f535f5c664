// SPDX-License-Identifier: Apache-2.0
// Helpers that record and play back streams.
#pragma once

#include <random>
#include <vector>

#include "sim/trace/kernel.h"

namespace sassim::trace {

inline KernelInfo kernel_of(std::size_t instructions) {
  KernelInfo kernel;
  kernel.name = "synthetic";
  kernel.block = {256, 1, 1};
  kernel.code.resize(instructions);
  for (std::size_t i = 0; i < instructions; ++i) kernel.code[i].pc = static_cast<std::uint32_t>(16 * i);
  return kernel;
}

inline Step plain(std::uint32_t index, LaneMask active = LaneMask::all()) {
  Step step;
  step.index = index;
  step.active = step.lanes = active;
  return step;
}

inline Step affine(std::uint32_t index, std::uint64_t base, std::int64_t stride,
                   isa::Space space = isa::Space::global) {
  Step step = plain(index);
  step.has_addresses = true;
  step.space = space;
  step.addresses.set_affine(base, stride);
  return step;
}

inline std::shared_ptr<const WarpStream> record(const KernelInfo& kernel, const std::vector<Step>& steps) {
  WarpStreamBuilder builder(kernel);
  for (const Step& step : steps) builder.append(step);
  return builder.finish();
}

inline std::vector<Step> play(const WarpStream& stream) {
  std::vector<Step> steps;
  auto cursor = stream.cursor();
  for (Step step; cursor.next(step);) steps.push_back(step);
  return steps;
}

/// Steps of a random walk through `kernel`: loops, divergence, guarded and unguarded accesses of every shape.
inline std::vector<Step> random_steps(std::mt19937& random, std::size_t instructions, std::size_t count) {
  auto below = [&](std::uint64_t n) { return std::uniform_int_distribution<std::uint64_t>(0, n - 1)(random); };
  std::vector<Step> steps;
  std::uint32_t at = 0;
  LaneMask active = LaneMask::all();
  while (steps.size() < count) {
    Step step = plain(at, active);
    if (at % 3 == 0 && below(8)) {
      step.space = below(2) ? isa::Space::global : isa::Space::shared;
      step.lanes = below(3) ? active : LaneMask(static_cast<std::uint32_t>(below(1ull << 32)) & active.bits);
      step.has_addresses = !step.lanes.none();
      if (below(3))
        step.addresses.set_affine(below(1u << 20) * 4, static_cast<std::int64_t>(below(64)) - 32);
      else
        for (auto& address : step.addresses.list()) address = below(4) ? below(4096) * 8 : below(~0ull);
    }
    steps.push_back(step);
    if (below(6) == 0 || at + 1 == instructions)
      at = static_cast<std::uint32_t>(below(instructions));
    else
      ++at;
    if (below(10) == 0)
      active = below(3) ? LaneMask::all() : LaneMask(static_cast<std::uint32_t>(below(1ull << 32)) | 1);
    if (below(20) == 0)
      for (std::size_t n = std::min<std::size_t>(steps.size(), 40), i = steps.size() - n, r = 0; r < n; ++r)
        steps.push_back(Step(steps[i + r]));
  }
  return steps;
}

}  // namespace sassim::trace
