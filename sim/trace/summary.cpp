// SPDX-License-Identifier: Apache-2.0
// Counts blocks, warps and instructions of a trace by class, for `sassim trace info`.
#include "sim/trace/summary.h"

#include <algorithm>
#include <optional>

namespace sassim::trace {

Summary summarize(BlockSource& source) {
  const KernelInfo& kernel = source.kernel();
  Summary total;
  std::vector<std::uint64_t> runs(kernel.code.size());
  total.blocks = source.block_count();
  for (std::uint64_t b = 0; b < total.blocks; ++b) {
    const auto block = source.block(BlockId(b));
    total.warps += block->warps.size();
    for (const auto& warp : block->warps) {
      if (!warp->body()) continue;
      const auto segments = warp->body()->segments();
      const auto counts = warp->body()->segment_counts();
      for (std::size_t i = 0; i < segments.size(); ++i) {
        const std::uint64_t steps = counts[i] * (segments[i].end - segments[i].start);
        total.warp_instructions += steps;
        total.thread_instructions += steps * static_cast<std::uint64_t>(segments[i].active.count());
        for (std::uint32_t at = segments[i].start; at < segments[i].end; ++at) runs[at] += counts[i];
        const auto slots = warp->body()->slots();
        for (std::size_t s = segments[i].first_slot; s < slots.size() && slots[s].index < segments[i].end; ++s)
          total.by_detail[static_cast<std::size_t>(slots[s].detail)] += counts[i];
      }
    }
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i] == 0) continue;
    ++total.instructions_run;
    if (isa::find_opcode(kernel.code[i].opcode, isa::architecture(kernel.sm).set))
      total.by_class[static_cast<std::size_t>(isa::decode(kernel.code[i], kernel.sm).op)] += runs[i];
    else
      total.unknown += runs[i];
  }
  return total;
}

}  // namespace sassim::trace
