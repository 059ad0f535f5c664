// SPDX-License-Identifier: Apache-2.0
#include "sim/emu/core/fault.h"

#include <utility>

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

}  // namespace sassim::emu
