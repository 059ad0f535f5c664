// SPDX-License-Identifier: Apache-2.0
// What a warp executes, with the threads that take part.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sim/emu/core/emulator.h"
#include "tests/unit/emu/harness.h"

namespace sassim::emu {

class Steps : public Recorder {
 public:
  void step(BlockId, std::uint32_t, const trace::Step& step) override {
    masks.emplace_back(step.index, step.active.bits);
    if (!step.detail.none()) said.emplace_back(step.index, step.detail.raw(0));
  }
  std::uint32_t mask_at(std::uint32_t index) const {
    std::uint32_t bits = 0;
    for (const auto& [i, mask] : masks)
      if (i == index) bits = mask;
    return bits;
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> masks;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> said;  ///< beside masks and addresses
};

inline std::vector<std::uint32_t> masks_at(const Steps& steps, std::uint32_t index) {
  std::vector<std::uint32_t> masks;
  for (const auto& [i, mask] : steps.masks)
    if (i == index) masks.push_back(mask);
  return masks;
}

/// One warp executes `code`: the masks with which it comes to instruction `index`.
inline std::vector<std::uint32_t> masks_at(std::uint32_t index, const std::string& code) {
  const auto kernel = make_kernel("masks", 90, isa::assemble(code), 8);
  DeviceMemory memory;
  LaunchConfig launch{.grid = {1}, .block = {32}};
  launch.params = pack(std::uint64_t{0});
  Steps steps;
  run(*kernel, launch, memory, {.recorder = &steps});
  return masks_at(steps, index);
}

}  // namespace sassim::emu
