// SPDX-License-Identifier: Apache-2.0
// The keys of the L2 cache (memory.l2): limits, unit and meaning of each (field.h).
#include "sim/config/describe.h"

namespace sassim::config {

namespace {

void describe_placement(FieldList& f, L2Config& c) {
  f.add("hash", c.hash, plugin(),
        "The policy that maps an address to a slice. A good one spreads accesses of every stride over all slices.");
  f.add("set_hash", c.set_hash, plugin(),
        "The policy that maps an address to a set of its slice. It decides how much of the capacity an array can use "
        "before its lines displace each other.");
  f.optional(
      "page", c.page, bytes(0, kGiB),
      "Size of memory pages whose lines begin at a random set, as with physical pages that a driver chooses: some "
      "sets fill before others. 0: sets follow the addresses.");
  f.add("interleave", c.interleave, bytes(32, kMiB),
        "Neighbouring bytes of memory that belong to one slice before the next slice follows. Larger values send "
        "neighbouring accesses to the same slice more often.");
  f.option(
      "group",
      "Neighbouring slices form groups. A range of consecutive bytes of memory belongs to one group, whose slices take "
      "turns in it. none: each range belongs to one slice.",
      [&] {
        f.add("members", c.group.members, count(1, 64),
              "Slices of a group. Each turn of a slice is `interleave` bytes.");
        f.add("span", c.group.span, bytes(0, kMiB),
              "Consecutive bytes of memory that belong to one group before the next group follows; 0: members x "
              "interleave, one turn of each slice.");
      });
}

void describe_writes(FieldList& f, L2Config& c) {
  f.add("fetch", c.fetch, bytes(16, 1024),
        "Bytes that a missing sector fetches from DRAM. More than one sector helps neighbouring accesses, and wastes "
        "bandwidth with random accesses.");
  f.option(
      "dirty",
      "Limits on the dirty lines of a set, which wait to be written to DRAM. none: all lines of a set can be dirty.",
      [&] {
        f.add("ways", c.dirty.ways, count(0, 1024),
              "Dirty lines per set. If there is one more, the oldest is written back and remains as a clean line. 0: "
              "no limit. A higher limit delays writes to DRAM.");
        f.add("partial_ways", c.dirty.partial_ways, count(0, 1024),
              "Dirty lines per set that have partly written sectors. If there is one more, the missing bytes of the "
              "oldest are fetched from DRAM and the line is written back. 0: no limit.");
        f.add("reread", c.dirty.reread, flag(),
              "Whether a sector that several stores have filled together is read from DRAM before its write-back, as a "
              "partly written sector is. Loads hit in such a sector (memory.l2.byte_masks) in both cases. With true, "
              "stores of single words cause more reads of DRAM.");
      });
  f.add("write_sector", c.write_sector, bytes(1, 4096),
        "Time that the write of a whole sector occupies a slice's data array, given as the number of bytes that the "
        "array could deliver meanwhile (bytes_per_cycle). A larger value lowers the bandwidth of stores.");
  f.add("write_partial", c.write_partial, bytes(1, 4096),
        "Like write_sector, for a sector of which only some bytes are written.");
  f.optional(
      "write_merge", c.write_merge, bytes(0, 4096),
      "Least time that a request that writes parts of sectors occupies the data array, in the unit of write_sector: "
      "the slice reads the old data and merges. A larger value slows small scattered stores.");
  f.optional(
      "byte_masks", c.byte_masks, flag(),
      "Whether a slice keeps a bit for every stored byte. Then a sector that several stores fill completely need not "
      "be fetched from DRAM.");
  f.add("write", c.write, one_of({"back", "through"}),
        "When dirty data is written to DRAM. back: when its line is replaced; through: at once.");
}

void describe_atomics(FieldList& f, L2Config& c) {
  f.add("atomic_latency", c.atomic_latency, cycles(0, 10'000),
        "L2 cycles from an atomic operation on a line until a load of the line can be served.");
  f.optional("atomic_return", c.atomic_return, cycles(0, 10'000),
             "L2 cycles by which the old value of an atomic leaves the slice later than the data of a load.");
  f.add("atomic_sector_latency", c.atomic_sector_latency, ratio(0, 1000),
        "L2 cycles that each sector of an atomic request adds to the request's time.");
  f.add("atomic_lane_latency", c.atomic_lane_latency, ratio(0, 1000),
        "L2 cycles that each lane on the most common word of a request adds: lanes on one word are handled one after "
        "the other. Sets the rate of atomics on one counter if sm.l1.atomic_waves is false.");
  f.optional("atomic_partial_interval", c.atomic_partial_interval, ratio(0, 1000),
             "L2 cycles that the atomic unit takes for a sector in which not every word changes; 0: one cycle, as for "
             "a whole one.");
  f.optional("atomic_float_interval", c.atomic_float_interval, ratio(0, 1000),
             "Least L2 cycles from one floating-point atomic on a sector to the next one on the same sector; 0: as for "
             "integers.");
  f.optional(
      "atomic_turn", c.atomic_turn, ratio(0, 1000),
      "Least L2 cycles between two atomic operations on a line if operations on other lines come between them, or if "
      "only one of the two returns a value: the atomic unit then reads the line again. In all other cases there is "
      "no such wait. A larger value slows atomics that alternate between a few lines.");
  f.add("atomic_minimum", c.atomic_minimum, ratio(0, 1000),
        "Least L2 cycles that the atomic unit takes for a request on a line that is not one of its last four. Limits "
        "the rate of reductions on random words.");
  f.add("atomic_result_minimum", c.atomic_result_minimum, ratio(0, 1000),
        "The same for requests that return the old value. Limits the rate of atomics with result on random words, "
        "such as the compare-and-swaps of a hash table.");
}

}  // namespace

void describe(FieldList& f, L2Config& c) {
  f.add("size", c.size, bytes(1024, 16 * kGiB), "Capacity of all slices together. With more capacity, more data hits.");
  f.add("slices", c.slices, count(1, 4096),
        "L2 slices. Lines must spread evenly over slices and memory.dram.channels. The bandwidth of the L2 grows with "
        "the number of slices.");
  f.add("ways", c.ways, count(1, 1024),
        "Lines per set. With more ways, fewer lines that share a set displace each other.");
  f.add("line", c.line, bytes(32, 1024), "Bytes that one tag covers; a power of two.");
  f.add("replacement", c.replacement, plugin(), "The policy that chooses the victim in a set.");
  describe_placement(f, c);
  f.optional(
      "end_barriers", c.end_barriers, flag(),
      "Whether every SM sends a memory barrier to each slice that it has used when a kernel ends. The L2 counts one "
      "sector for each barrier, or three if the slice is in the other half. Barriers take no simulated time.");
  describe_writes(f, c);
  f.add("latency", c.latency, cycles(1, 10'000),
        "L2 cycles of a hit inside a slice, without the network. Part of the latency of every access to the L2.");
  f.add("bytes_per_cycle", c.bytes_per_cycle, bytes(1, 4096),
        "Bytes that a slice's data array delivers per L2 cycle. Limits the bandwidth of hits.");
  f.add("pending_requests", c.pending_requests, count(1, 65536),
        "Lines per slice that can wait for data from DRAM. Together with the DRAM's latency it limits the bandwidth of "
        "misses.");
  describe_atomics(f, c);
}

}  // namespace sassim::config
