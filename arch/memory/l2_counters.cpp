// SPDX-License-Identifier: Apache-2.0
// The counters of the L2 (lts__...) by operation and by sender, with their names and meanings.
#include "arch/memory/l2_counters.h"

#include <fmt/format.h>

namespace sassim::arch {

namespace {

/// Of one operation or one sender.
struct LookupCounters {
  LookupCounters(const char* suffix, const char* of)
      : requests(fmt::format("lts__t_requests_{}.sum", suffix), "request", fmt::format("requests to L2: {}", of)),
        sectors(fmt::format("lts__t_sectors_{}.sum", suffix), "sector",
                fmt::format("sectors of requests to L2: {}", of)),
        hits(fmt::format("lts__t_sectors_{}_lookup_hit.sum", suffix), "sector",
             fmt::format("sectors that the L2 need not fetch, because they are present, in flight or written: {}", of)),
        misses(fmt::format("lts__t_sectors_{}_lookup_miss.sum", suffix), "sector",
               fmt::format("sectors that the L2 fetched from DRAM or from its other half, wanted or not: {}", of)) {}

  void report(stats::CounterValues& values, const L2Counters::Lookups& lookups) const {
    values.sum(requests, lookups.requests);
    values.sum(sectors, lookups.sectors);
    values.sum(hits, lookups.hits);
    values.sum(misses, lookups.misses);
  }

  stats::Count requests, sectors, hits, misses;
};

const struct L2LookupCounters {
  stats::Count requests{"lts__t_requests.sum", "request",
                        "requests to L2; one that passes from one half to the other counts twice"};
  stats::Count sectors{"lts__t_sectors.sum", "sector",
                       "sectors of requests to L2; a request that passes between halves counts twice"};
  stats::Count hits{"lts__t_sectors_lookup_hit.sum", "sector",
                    "sectors that the L2 need not fetch, because they are present, in flight or written"};
  stats::Count misses{"lts__t_sectors_lookup_miss.sum", "sector",
                      "sectors that the L2 fetched from DRAM or from its other half, wanted or not"};
  LookupCounters read{"op_read", "reads, including those of instructions, constants and page tables"};
  LookupCounters write{"op_write", "writes"};
  LookupCounters atomic{"op_atom", "atomics that return a value"};
  LookupCounters reduction{"op_red", "reductions"};
  LookupCounters tex{"srcunit_tex", "from L1s"};
  LookupCounters fabric{"srcunit_ltcfabric", "from the other half"};
  stats::Count tex_read{"lts__t_sectors_srcunit_tex_op_read.sum", "sector", "sectors that L1s read from L2"};
  stats::Count tex_write{"lts__t_sectors_srcunit_tex_op_write.sum", "sector", "sectors that L1s wrote to L2"};
  stats::Count instruction{"sassim__lts_sectors_instruction.sum", "sector", "sectors of instructions read from L2"};
  stats::Count constant{"sassim__lts_sectors_constant.sum", "sector", "sectors of constants read from L2"};
  stats::Count walk{"sassim__lts_sectors_walk.sum", "sector", "sectors of page tables read from L2"};
} kL2Lookups;

const struct L2DataCounters {
  stats::Count filled{"lts__d_sectors_fill_device.sum", "sector", "sectors filled into L2 from DRAM"};
  stats::Count fetched{"sassim__lts_sectors_fetched.sum", "sector",
                       "sectors requested from DRAM or from the other half of L2"};
  stats::Count fetched_far{"sassim__lts_sectors_fetched_far.sum", "sector",
                           "sectors requested from the other half of L2"};
  stats::Count written_back{"sassim__lts_sectors_written_back.sum", "sector", "dirty sectors written to DRAM"};
  stats::Count written_back_partial{
      "sassim__lts_sectors_written_back_partial.sum", "sector",
      "dirty sectors written to DRAM with a byte mask, because only some of their bytes are valid"};
  stats::Count pending_hits{"sassim__lts_sectors_pending_hit.sum", "sector",
                            "missing sectors that another request was already fetching"};
  stats::Count merged{"sassim__lts_requests_merged.sum", "request",
                      "requests that joined an outstanding miss of their line"};
  stats::Count blocked{"sassim__lts_blocked.sum", "event",
                       "attempts to serve a slice's oldest request that lacked a resource"};
  stats::Count bytes_out{"sassim__lts_bytes_out.sum", "byte",
                         "bytes that left L2 slices, headers and padding included"};
  stats::Count atomic_operations{"sassim__lts_atomic_operations.sum", "operation",
                                 "lane operations of atomics and reductions"};
  stats::Count atomic_busy{"sassim__lts_atomic_cycles_busy.sum", "cycle", "cycles that atomic units were busy"};
  stats::Largest busiest_atomic{"sassim__lts_atomic_cycles_busy.max", "cycle",
                                "cycles that the busiest atomic unit of all slices was busy"};
  stats::Count invalidations{"sassim__lts_invalidations.sum", "line",
                             "copies dropped because the line was written at its home"};
} kL2Data;

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

void L2Counters::report(stats::CounterValues& m) const {
  const Lookups all = total();
  m.sum(kL2Lookups.requests, all.requests);
  m.sum(kL2Lookups.sectors, all.sectors);
  m.sum(kL2Lookups.hits, all.hits);
  m.sum(kL2Lookups.misses, all.misses);
  kL2Lookups.read.report(m, read);
  kL2Lookups.write.report(m, write);
  kL2Lookups.atomic.report(m, atomic);
  kL2Lookups.reduction.report(m, reduction);
  kL2Lookups.tex.report(m, tex);
  kL2Lookups.fabric.report(m, fabric);
  m.sum(kL2Lookups.tex_read, tex_read.sectors);
  m.sum(kL2Lookups.tex_write, tex_write.sectors);
  m.sum(kL2Lookups.instruction, sectors.instruction);
  m.sum(kL2Lookups.constant, sectors.constant);
  m.sum(kL2Lookups.walk, walker.sectors);
  m.sum(kL2Data.filled, sectors.filled - sectors.fetched_other_half);
  m.sum(kL2Data.fetched, sectors.fetched);
  m.sum(kL2Data.fetched_far, sectors.fetched_other_half);
  m.sum(kL2Data.written_back, sectors.written_back);
  m.sum(kL2Data.written_back_partial, sectors.written_back_partial);
  m.sum(kL2Data.pending_hits, sectors.pending_hits);
  m.sum(kL2Data.merged, requests.merged);
  m.sum(kL2Data.blocked, requests.blocked);
  m.sum(kL2Data.bytes_out, bytes_out);
  m.sum(kL2Data.atomic_operations, atomics.operations);
  m.sum(kL2Data.atomic_busy, atomics.busy);
  m.max(kL2Data.busiest_atomic, static_cast<double>(atomics.busy));
  m.sum(kL2Data.invalidations, invalidations);
}

}  // namespace sassim::arch
