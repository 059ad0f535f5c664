// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/walk.h"

#include <algorithm>

#include "sim/isa/opcode.h"
#include "sim/trace/doctor.h"
#include "sim/trace/stream.h"
#include "sim/trace/summary.h"

namespace sassim::fuzz {

namespace {
constexpr std::uint64_t kBlocks = 4, kSteps = 2000;
}

void walk(trace::BlockSource& source) {
  const trace::KernelInfo& kernel = source.kernel();
  for (const isa::Instruction& instruction : kernel.code) isa::decode(instruction, kernel.sm);
  const std::uint64_t blocks = std::min(source.block_count(), kBlocks);
  for (std::uint64_t number = 0; number < blocks; ++number) {
    const auto block = source.block(BlockId(static_cast<std::uint32_t>(number)));
    for (const auto& warp : block->warps) {
      trace::Cursor cursor = warp->cursor();
      trace::Step step;
      for (std::uint64_t steps = 0; steps < kSteps && cursor.next(step); ++steps) {
      }
    }
  }
  trace::LintOptions options;
  options.blocks = kBlocks;
  options.max_steps = kSteps;
  trace::lint(source, options);
  trace::summarize(source);
}

}  // namespace sassim::fuzz
