// SPDX-License-Identifier: Apache-2.0
// The counters of operand reads: register file, reuse cache, port stalls, and misses of constant operands.
#include "arch/sm/issue/operands.h"

namespace sassim::arch {

namespace {

const struct OperandCounters {
  stats::Count reads{"sassim__register_reads.sum", "operand",
                     "warp operands read from the register files by fixed-latency instructions"};
  stats::Count reuse_hits{"sassim__register_reuse_hits.sum", "operand", "warp operands that the reuse cache held"};
  stats::Count port_stalls{"sassim__register_port_stalls.sum", "cycle",
                           "cycles for which instructions waited in Allocate for a read port"};
  stats::Count constant_misses{"sassim__imc_misses.sum", "request",
                               "constant operands that missed the first-level cache"};
} kOperands;

}  // namespace

void Operands::report(stats::CounterValues& values) const {
  values.sum(kOperands.reads, registers.reads());
  values.sum(kOperands.reuse_hits, registers.reuse_hits());
  values.sum(kOperands.port_stalls, registers.port_stalls());
  values.sum(kOperands.constant_misses, constants.misses());
}

}  // namespace sassim::arch
