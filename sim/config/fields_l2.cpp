// SPDX-License-Identifier: Apache-2.0
// Keys of the L2 cache.
#include "sim/config/describe.h"

namespace sassim::config {

namespace {

void describe_placement(FieldList& f, L2Config& c) {
  f.add("hash", c.hash, plugin(),
        "How an address chooses its slice: the name of a policy. A good one spreads every stride over all slices.");
  f.add("set_hash", c.set_hash, plugin(),
        "How an address chooses its set within a slice. It decides how much of the capacity an array can use before it "
        "displaces itself.");
  f.add(
      "page", c.page, bytes(0, kGiB),
      "Pages of memory whose lines begin at any set, as the driver's choice of physical pages makes it; then some sets "
      "fill before others. 0: sets follow the addresses.");
  f.add("interleave", c.interleave, bytes(32, kMiB), "Neighbouring bytes that lie in one slice.");
  f.option("group", "Several slices share a stretch of memory and take turns in it. none: each slice on its own.", [&] {
    f.add("members", c.group, count(1, 64), "Slices that take turns, `interleave` bytes each.");
    f.add("span", c.group_interleave, bytes(0, kMiB), "Bytes of the stretch; 0: one turn of each.");
  });
}

void describe_contents(FieldList& f, L2Config& c) {
  f.add("upload", c.upload, bytes(0, std::uint64_t{1} << 30),
        "After a copy from the host, its last bytes are still in the L2: this many. The first kernel hits there. It "
        "depends "
        "on the host and its way of copying.");
  f.add(
      "flushed", c.flushed, bytes(0, std::uint64_t{1} << 30),
      "A profiler that flushes the caches before a kernel leaves dirty data of its own in the L2: this many bytes. The "
      "kernel's misses write them to DRAM, so that it shows DRAM writes that are not its own. Only with cold caches.");
}

void describe_writes(FieldList& f, L2Config& c) {
  f.add("fetch", c.fetch, bytes(16, 1024),
        "Bytes that a missing sector brings from DRAM. More than a sector helps neighbours and wastes bandwidth on "
        "random "
        "accesses.");
  f.option("dirty", "Limits of modified lines that wait in a set to be written to DRAM. none: all lines of a set may.",
           [&] {
             f.add("ways", c.dirty_ways, count(0, 1024),
                   "Modified lines per set; when there is one more, the oldest is written back and stays as a clean "
                   "line. 0: all.");
             f.add("partial_ways", c.partial_ways, count(0, 1024),
                   "Of these, lines with sectors that were written only in part; when there is one more, the oldest is "
                   "completed "
                   "from DRAM and written. 0: all.");
           });
  f.add("write_sector", c.write_sector, bytes(1, 4096),
        "Time that writing a whole sector takes in a slice's data array, as bytes of bytes_per_cycle. Larger: less "
        "bandwidth "
        "for stores.");
  f.add("write_partial", c.write_partial, bytes(1, 4096),
        "The same for a sector of which only some bytes are written.");
  f.add("write_merge", c.write_merge, bytes(0, 4096),
        "The same, at the least, for a whole request that writes parts of sectors: the slice reads what was there and "
        "merges. Larger: scattered small stores take longer.");
  f.add("byte_masks", c.byte_masks, flag(),
        "Whether a slice keeps a bit for every byte that was stored, so that a sector which stores fill part by part "
        "need "
        "not be completed from DRAM.");
  f.add("write", c.write, one_of({"back", "through"}),
        "When modified data goes to DRAM: back, when its line is replaced; through, at once.");
}

void describe_atomics(FieldList& f, L2Config& c) {
  f.add("atomic_interval", c.atomic_interval, cycles(1, 1024),
        "L2 cycles of a slice's atomic unit per sector. Limits atomics on many addresses.");
  f.add("atomic_latency", c.atomic_latency, cycles(0, 10'000),
        "L2 cycles from an atomic operation on a line until a load of the line can be served.");
  f.add("atomic_return", c.atomic_return, cycles(0, 10'000),
        "L2 cycles by which an atomic's old value leaves later than a load's data.");
  f.add("atomic_sector_latency", c.atomic_sector_latency, ratio(0, 1000),
        "L2 cycles that each sector of an atomic request adds to its time.");
  f.add("atomic_lane_latency", c.atomic_lane_latency, ratio(0, 1000),
        "L2 cycles that each lane on the busiest word of a request adds: lanes on one word are added one after the "
        "other. "
        "Decides the rate of atomics on one counter where sm.l1.atomic_waves is false.");
  f.add("atomic_partial_interval", c.atomic_partial_interval, ratio(0, 1000),
        "L2 cycles of the atomic unit for a sector of which not every word changes; 0: atomic_interval.");
  f.add("atomic_float_interval", c.atomic_float_interval, ratio(0, 1000),
        "L2 cycles from one floating-point operation on a sector to the next; 0: as for integers.");
  f.add("atomic_turn", c.atomic_turn, ratio(0, 1000),
        "L2 cycles that must pass between two operations on a line when operations on other lines came in between, or "
        "when "
        "only one of the two returns a value: the line has to be read again. Operations that follow each other "
        "directly do "
        "not wait. A larger value slows atomics on a few lines in turn.");
  f.add("atomic_minimum", c.atomic_minimum, ratio(0, 1000),
        "L2 cycles, at least, that the atomic unit spends on a request for a line that is not among its last four. "
        "Limits "
        "atomics on random words.");
}

}  // namespace

void describe(FieldList& f, L2Config& c) {
  f.add("size", c.size, bytes(1024, 16 * kGiB), "Capacity of all slices together.");
  f.add("slices", c.slices, count(1, 4096),
        "Slices: any number that can be dealt out evenly to memory.dram.channels. Bandwidth grows with them.");
  f.add("ways", c.ways, count(1, 1024), "Lines per set.");
  f.add("line", c.line, bytes(32, 1024), "Bytes under one tag; a power of two.");
  f.add("sector", c.sector, bytes(16, 1024), "Bytes that are filled and written back at a time; a power of two.");
  f.add("replacement", c.replacement, plugin(), "Which line of a set makes room: the name of a policy.");
  describe_placement(f, c);
  describe_contents(f, c);
  describe_writes(f, c);
  f.add("latency", c.latency, cycles(1, 10'000), "L2 cycles through a slice on a hit.");
  f.add("bytes_per_cycle", c.bytes_per_cycle, bytes(1, 4096), "Bytes that a slice's data array delivers per L2 cycle.");
  f.add("pending_requests", c.pending_requests, count(1, 65536),
        "Lines per slice that may be waiting for data from DRAM. With the latency of DRAM it limits its bandwidth.");
  describe_atomics(f, c);
}

}  // namespace sassim::config
