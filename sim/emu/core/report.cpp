// SPDX-License-Identifier: Apache-2.0
// Messages that name the place of instructions and warps.
#include <fmt/format.h>

#include <algorithm>

#include "sim/emu/core/machine.h"

namespace sassim::emu {
namespace {

constexpr std::size_t kReportedWarps = 16;

std::string where(const Grid& grid, std::uint32_t index) {
  const auto& code = grid.kernel->code;
  return index < code.size() ? fmt::format("PC {:#x} '{}'", code[index].pc, code[index].text()) : "beyond the code";
}

const char* state_name(FragmentState state) {
  switch (state) {
    case FragmentState::ready:
      return "running";
    case FragmentState::at_sync:
      return "waiting at a convergence barrier";
    case FragmentState::at_warp_sync:
      return "waiting for other threads of its warp";
    case FragmentState::at_barrier:
      return "waiting at a barrier of the block";
  }
  return "";
}

}  // namespace

std::string place(const Kernel& kernel, std::uint32_t index) {
  const isa::Instruction& instruction = kernel.code[index];
  return fmt::format("opcode {} in kernel {} at PC {:#x} ('{}', sm_{})", instruction.opcode, kernel.name,
                     instruction.pc, instruction.text(), kernel.sm);
}

FaultSite Context::site(const MicroOp& op, int lane, std::uint64_t address) const {
  FaultSite site;
  site.kernel = grid.kernel->name;
  site.pc = op.index * 16;
  if (op.index < grid.kernel->code.size()) site.line = grid.kernel->code[op.index].text();
  site.block = block.ctaid;
  const Dim3 size = grid.launch->block;
  const std::uint32_t thread = 32 * warp.index + static_cast<std::uint32_t>(lane);
  site.thread = {thread % size.x, thread / size.x % size.y, thread / size.x / size.y};
  site.address = address;
  return site;
}

void Context::fault(FaultKind kind, const MicroOp& op, int lane, std::uint64_t address,
                    const std::string& detail) const {
  throw DeviceFault(kind, site(op, lane, address), detail);
}

std::string progress_report(const std::vector<std::unique_ptr<Block>>& blocks) {
  std::string text;
  std::size_t shown = 0, hidden = 0;
  for (const auto& block : blocks)
    for (const Warp& warp : block->warps)
      for (const Fragment& fragment : warp.fragments) {
        if (shown == kReportedWarps) {
          ++hidden;
          continue;
        }
        ++shown;
        text += fmt::format("  block ({},{},{}) warp {} lanes {:#010x}: {}, {}, {} instructions\n", block->ctaid.x,
                            block->ctaid.y, block->ctaid.z, warp.index, fragment.mask, where(*block->grid, fragment.pc),
                            state_name(fragment.state), warp.executed);
      }
  if (hidden != 0) text += fmt::format("  ... and {} more\n", hidden);
  return text;
}

}  // namespace sassim::emu
