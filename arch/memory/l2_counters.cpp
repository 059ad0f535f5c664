// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/l2_counters.h"

#include <fmt/format.h>

namespace sassim::arch {

namespace {

void report_lookups(stats::MetricSet& m, const char* suffix, const char* of, const L2Counters::Lookups& lookups) {
  m.sum(fmt::format("lts__t_requests_{}.sum", suffix), "request", fmt::format("requests to L2: {}", of),
        lookups.requests);
  m.sum(fmt::format("lts__t_sectors_{}.sum", suffix), "sector", fmt::format("sectors of requests to L2: {}", of),
        lookups.sectors);
  m.sum(fmt::format("lts__t_sectors_{}_lookup_hit.sum", suffix), "sector",
        fmt::format("sectors that the L2 need not fetch, because they are present, in flight or written: {}", of),
        lookups.hits);
  m.sum(fmt::format("lts__t_sectors_{}_lookup_miss.sum", suffix), "sector",
        fmt::format("sectors that the L2 fetched from DRAM or from its other half, wanted or not: {}", of),
        lookups.misses);
}

}  // namespace

L2Counters::Lookups& L2Counters::of(RequestKind kind) {
  if (kind == RequestKind::store) return write;
  if (kind == RequestKind::atomic) return atomic;
  return kind == RequestKind::reduction ? reduction : read;
}

L2Counters::Lookups L2Counters::total() const {
  Lookups sum;
  for (const Lookups& part : {read, write, atomic, reduction, notice}) sum.add(part);
  return sum;
}

L2Counters::Lookups L2Counters::sources() const {
  Lookups sum;
  for (const Lookups& part : {tex, code, walker, fabric, completion}) sum.add(part);
  return sum;
}

void L2Counters::report(stats::MetricSet& m) const {
  const Lookups all = total();
  m.sum("lts__t_requests.sum", "request", "requests to L2; one that passes from one half to the other counts twice",
        all.requests);
  m.sum("lts__t_sectors.sum", "sector", "sectors of requests to L2; a request that passes between halves counts twice",
        all.sectors);
  m.sum("lts__t_sectors_lookup_hit.sum", "sector",
        "sectors that the L2 need not fetch, because they are present, in flight or written", all.hits);
  m.sum("lts__t_sectors_lookup_miss.sum", "sector",
        "sectors that the L2 fetched from DRAM or from its other half, wanted or not", all.misses);
  report_lookups(m, "op_read", "reads, including those of instructions, constants and page tables", read);
  report_lookups(m, "op_write", "writes", write);
  report_lookups(m, "op_atom", "atomics that return a value", atomic);
  report_lookups(m, "op_red", "reductions", reduction);
  report_lookups(m, "srcunit_tex", "from L1s", tex);
  m.sum("lts__t_sectors_srcunit_tex_op_read.sum", "sector", "sectors that L1s read from L2", tex_read.sectors);
  m.sum("lts__t_sectors_srcunit_tex_op_write.sum", "sector", "sectors that L1s wrote to L2", tex_write.sectors);
  report_lookups(m, "srcunit_ltcfabric", "from the other half", fabric);
  m.sum("lts__d_sectors_fill_device.sum", "sector", "sectors filled into L2 from DRAM", filled - fetched_other_half);
  m.sum("sassim__lts_sectors_instruction.sum", "sector", "sectors of instructions read from L2", sectors_instruction);
  m.sum("sassim__lts_sectors_constant.sum", "sector", "sectors of constants read from L2", sectors_constant);
  m.sum("sassim__lts_sectors_walk.sum", "sector", "sectors of page tables read from L2", walker.sectors);
  m.sum("sassim__lts_sectors_fetched.sum", "sector", "sectors requested from DRAM or from the other half of L2",
        fetched);
  m.sum("sassim__lts_sectors_fetched_far.sum", "sector", "sectors requested from the other half of L2",
        fetched_other_half);
  m.sum("sassim__lts_sectors_written_back.sum", "sector", "dirty sectors written to DRAM", written_back);
  m.sum("sassim__lts_sectors_written_back_partial.sum", "sector",
        "dirty sectors written to DRAM with a byte mask, because only some of their bytes are valid",
        written_back_partial);
  m.sum("sassim__lts_sectors_pending_hit.sum", "sector", "missing sectors that another request was already fetching",
        pending_hits);
  m.sum("sassim__lts_requests_merged.sum", "request", "requests that joined an outstanding miss of their line", merged);
  m.sum("sassim__lts_blocked.sum", "event", "attempts to serve a slice's oldest request that lacked a resource",
        blocked);
  m.sum("sassim__lts_bytes_out.sum", "byte", "bytes that left L2 slices, headers and padding included", bytes_out);
  m.sum("sassim__lts_atomic_operations.sum", "operation", "lane operations of atomics and reductions",
        atomic_operations);
  m.sum("sassim__lts_atomic_cycles_busy.sum", "cycle", "cycles that atomic units were busy", atomic_busy);
  m.max("sassim__lts_atomic_cycles_busy.max", "cycle", "cycles that the busiest atomic unit of all slices was busy",
        static_cast<double>(atomic_busy));
  m.sum("sassim__lts_invalidations.sum", "line", "copies dropped because the line was written at its home",
        invalidations);
}

}  // namespace sassim::arch
