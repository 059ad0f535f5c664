// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/l2_counters.h"

namespace sassim::arch {

void L2Counters::report(stats::MetricSet& m) const {
  m.sum("lts__t_requests.sum", "request", "requests to L2", requests);
  m.sum("lts__t_sectors.sum", "sector", "sectors that requests to L2 ask for", sectors());
  m.sum("lts__t_sectors_op_read.sum", "sector", "sectors read from L2, instructions and constants included",
        sectors_read);
  m.sum("lts__t_sectors_op_write.sum", "sector", "sectors written to L2", sectors_write);
  m.sum("lts__t_sectors_op_atom.sum", "sector", "sectors of atomics that return a value", sectors_atomic);
  m.sum("lts__t_sectors_op_red.sum", "sector", "sectors of reductions", sectors_reduction);
  m.sum("lts__t_sectors_lookup_hit.sum", "sector", "sectors that L2 held or that a write did not have to fetch", hits);
  m.sum("lts__t_sectors_lookup_miss.sum", "sector", "sectors that had to be fetched", misses);
  m.sum("lts__d_sectors_fill_device.sum", "sector", "sectors filled into L2", filled);
  m.sum("sassim__lts_sectors_instruction.sum", "sector", "sectors of instructions read from L2", sectors_instruction);
  m.sum("sassim__lts_sectors_constant.sum", "sector", "sectors of constants read from L2", sectors_constant);
  m.sum("sassim__lts_sectors_copy.sum", "sector", "sectors read for the other half's copies", sectors_copy);
  m.sum("sassim__lts_sectors_fetched.sum", "sector", "sectors asked for from below L2", fetched);
  m.sum("sassim__lts_sectors_fetched_far.sum", "sector", "sectors asked for from the other half of L2", fetched_far);
  m.sum("sassim__lts_sectors_written_back.sum", "sector", "dirty sectors written to DRAM", written_back);
  m.sum("sassim__lts_sectors_written_back_partial.sum", "sector", "of them written with a byte mask",
        written_back_partial);
  m.sum("sassim__lts_requests_merged.sum", "request", "requests that joined a fill under way", merged);
  m.sum("sassim__lts_blocked.sum", "event", "times that a slice's oldest request could not be served", blocked);
  m.sum("sassim__lts_cycles_busy.sum", "cycle", "cycles that data arrays were moving data", busy);
  m.sum("sassim__lts_atomic_operations.sum", "operation", "lane operations of atomics and reductions",
        atomic_operations);
  m.sum("sassim__lts_atomic_cycles_busy.sum", "cycle", "cycles that atomic units were busy", atomic_busy);
  m.sum("sassim__lts_invalidations.sum", "line", "copies dropped because the other half wrote the line", invalidations);
}

}  // namespace sassim::arch
