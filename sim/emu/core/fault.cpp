// SPDX-License-Identifier: Apache-2.0
// The texts of faults (illegal address, trap, ...), and the check that a jump of a kernel stays in its code.
#include "sim/emu/core/fault.h"

#include <utility>

#include "sim/emu/core/machine.h"

namespace sassim::emu {

const char* fault_name(FaultKind kind) {
  switch (kind) {
    case FaultKind::illegal_address:
      return "illegal address";
    case FaultKind::misaligned_address:
      return "misaligned address";
    case FaultKind::shared_out_of_bounds:
      return "shared memory out of bounds";
    case FaultKind::stack_overflow:
      return "stack overflow";
    case FaultKind::illegal_instruction:
      return "illegal instruction";
    case FaultKind::invalid_pc:
      return "invalid program counter";
    case FaultKind::trap:
      return "trap";
    case FaultKind::assertion:
      return "assertion failed";
  }
  return "unknown";
}

std::string to_string(const FaultSite& site) {
  return fmt::format("PC {:#x} ('{}'), block ({},{},{}), thread ({},{},{}), {}", site.pc, site.line, site.block.x,
                     site.block.y, site.block.z, site.thread.x, site.thread.y, site.thread.z,
                     site.place.empty() ? fmt::format("address {:#x}", site.address) : site.place);
}

DeviceFault::DeviceFault(FaultKind kind, FaultSite site, const std::string& detail)
    : Error(ExitStatus::check_failed,
            fmt::format("{}: kernel {}, {}: {}", fault_name(kind), site.kernel, to_string(site), detail)),
      kind_(kind),
      site_(std::move(site)) {}

std::uint32_t code_index(Context& c, const MicroOp& op, int lane, std::int64_t offset) {
  const isa::CodeLayout layout = c.grid.kernel->layout();
  const auto pc = static_cast<std::uint64_t>(offset);
  if (offset < 0 || pc >= layout.bytes(c.grid.program->ops.size()) || pc % layout.instruction_bytes() != 0)
    c.fault(FaultKind::invalid_pc, op, lane, pc, "jump outside of the kernel's code");
  return static_cast<std::uint32_t>(layout.index(pc));
}

std::uint32_t code_index_at(Context& c, const MicroOp& op, int lane, std::uint64_t address) {
  for (const CodeRegion& region : c.grid.kernel->regions)
    if (address - region.address < region.bytes)
      return code_index(c, op, lane, static_cast<std::int64_t>(region.offset + (address - region.address)));
  c.fault(FaultKind::invalid_pc, op, lane, address, "jump to an address that holds no code of this kernel");
}

}  // namespace sassim::emu
