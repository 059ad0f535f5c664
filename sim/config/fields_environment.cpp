// SPDX-License-Identifier: Apache-2.0
// The keys of the environment, which is no hardware of the GPU but shows in its caches and counters: limits, unit and
// meaning of each (field.h).
#include "sim/config/describe.h"

namespace sassim::config {

namespace {

void describe_copies(FieldList& f, Environment& c) {
  f.optional("upload", c.upload, bytes(0, kGiB),
             "How much of one copy from the host to the device may stay in the L2: its last bytes, at most this many. "
             "The next "
             "kernel hits in this part. Less stays if the L2 has too few empty lines. The value depends on the host.");
  f.optional(
      "upload_ways", c.upload_ways, count(0, 1024),
      "Ways of a set that lines of copies from the host may take from other lines. With more ways, more of a copy is "
      "still there for the next kernel. Other lines displace the lines of copies first, unless a kernel has used them "
      "since; "
      "lines of evict_first displace their own kind before. Copies occupy empty ways without limit. 0: copies write "
      "lines like "
      "kernels.");
  f.optional(
      "upload_inline", c.upload_inline, bytes(0, kGiB),
      "Copies from the host of at most this many bytes are sent among the driver's commands. They write lines like a "
      "kernel, and other lines do not displace these first.");
}

void describe_profiler(FieldList& f, Environment& c) {
  f.optional(
      "flushed", c.flushed, bytes(0, kGiB),
      "Bytes of dirty data that a profiler leaves in the L2 when it flushes the caches before a kernel. The kernel's "
      "misses write them to DRAM, so that it shows DRAM writes that are not its own. Only with cold caches.");
  f.optional(
      "profiled", c.profiled, bytes(0, kGiB),
      "Bytes that a profiler copies from the host before each kernel, to the same memory each time. They displace what "
      "the program's own copies have left. Only with kept caches.");
  f.optional(
      "profiled_written", c.profiled_written, bytes(0, kGiB),
      "Bytes that a profiler writes to the L2 before the first kernel of a program. They go to DRAM when lines of "
      "kernels displace them. Only with kept caches.");
  f.optional("profiled_each", c.profiled_each, bytes(0, kGiB),
             "Bytes that a profiler writes to the L2 before each kernel but the first. Only with kept caches.");
  f.optional(
      "profiled_hits", c.profiled_hits, count(0, 1'000'000),
      "Hits that Nsight Compute counts in the L2 for each launch beside those of the kernel. It counts hits and "
      "sectors in different passes, and its own commands are in the pass of the hits alone: the hit rate that it "
      "shows of a kernel with few sectors is above 100 %. They take no simulated time. 0: none.");
  f.optional(
      "background_writes", c.background_writes, count(0, 1'000'000),
      "Sectors that the L2 counts as written in 1000 SM cycles of a kernel by something else, such as the driver "
      "or the profiler. Long kernels that write little then show more writes. They take no simulated time.");
}

void describe_launch(FieldList& f, Environment& c) {
  f.optional("launch_barriers", c.launch_barriers, count(0, 1'000'000),
             "Sectors of memory barriers that the L2 counts for each launch, in addition to those of "
             "memory.l2.end_barriers.");
  f.optional(
      "launch_sectors", c.launch_sectors, count(0, 1'000'000),
      "Sectors that the L2 counts as read once by each launch, in addition to those that the GPCs and the kernel's "
      "instructions read.");
  f.optional(
      "launch_gpc_sectors", c.launch_gpc_sectors, count(0, 1'000'000),
      "Sectors that every GPC reads from the L2 at a launch whose code and description the caches hold. The L2 counts "
      "them once for each GPC, and once more on the link between its halves.");
  f.optional(
      "cold_sectors", c.cold_sectors, count(0, 1'000'000),
      "Sectors that the L2 counts as read once by a launch that reads from DRAM, in addition to launch_sectors.");
  f.optional(
      "cold_gpc_sectors", c.cold_gpc_sectors, count(0, 1'000'000),
      "Sectors that every GPC reads from the L2 at a launch that reads from DRAM, in addition to the code "
      "(launch.code_prefetch) and the description (launch.state_bytes), and in place of launch_gpc_sectors. 0: none of "
      "these reads are counted.");
}

}  // namespace

void describe(FieldList& f, Environment& c) {
  describe_copies(f, c);
  f.optional("others_full", c.others_full, flag(),
             "Whether the L2 is full of lines of other programs when a program starts. If not, it is empty but for "
             "others_written, and more of what is copied stays in it. Only with kept caches.");
  f.optional(
      "others_written", c.others_written, bytes(0, kGiB),
      "Bytes of dirty data of other programs, evenly spread over the L2, when a program starts. The program's misses "
      "displace these lines, so that it shows DRAM writes that are not its own. Only with kept caches.");
  describe_profiler(f, c);
  describe_launch(f, c);
}

}  // namespace sassim::config
