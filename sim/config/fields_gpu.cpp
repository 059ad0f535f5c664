// SPDX-License-Identifier: Apache-2.0
// Keys of the top level, and of what several parts share.
#include "sim/config/describe.h"

namespace sassim::config {

namespace {
constexpr std::uint64_t kGHz = 1'000'000'000;
}  // namespace

void describe(FieldList& f, GpuConfig& c) {
  f.add("name", c.name, text(), "what results call this GPU; the file's name when not given");
  f.add("description", c.description, text(), "one line for people");
  f.add("arch", c.arch, Spec{Unit::arch, 70, 99, {}, false, Domain::none, false},
        "the architecture whose SASS this GPU runs");
  f.group("clock", c.clock, "clock domains");
  f.group("sm", c.sm, "the streaming multiprocessors");
  f.group("memory", c.memory, "everything beyond the SMs");
  f.group("launch", c.launch, "kernel launches");
}

void describe(FieldList& f, Clocks& c) {
  f.add("sm", c.sm, hertz(1'000'000, 10 * kGHz), "clock of the SMs");
  Spec l2 = hertz(1'000'000, 10 * kGHz);
  l2.as_sm = true;
  f.add("l2", c.l2, l2, "clock of the crossbar and the L2");
  f.add("dram", c.dram, hertz(1'000'000, 10 * kGHz), "command clock of the DRAM; its timings count these cycles");
}

void describe(FieldList& f, Launch& c) {
  f.add("overhead_cycles", c.overhead_cycles, time(Domain::sm, 0, 10'000'000),
        "the host's time for submitting a launch, in SM cycles: no kernel starts earlier than that after the call "
        "before it, and the host's next call is made that much later; reported apart, never part of a kernel's cycles");
  f.add("event_cycles", c.event_cycles, time(Domain::sm, 0, 10'000'000),
        "the host's time for recording an event, in SM cycles: it is taken no earlier than that after the call before "
        "it");
  f.add("latency", c.latency, cycles(0, 1'000'000),
        "SM cycles of a kernel before its first block is on an SM and after its last");
  f.add("flush", c.flush, cycles(0, 1'000'000),
        "SM cycles of the latency that pass after the last block: stores that reach the L2 meanwhile cost nothing");
  f.add("write_flush", c.write_flush, cycles(0, 1'000'000),
        "SM cycles that a kernel lasts longer when it has written to global memory");
  f.add("write_flush_interval", c.write_flush_interval, ratio(0, 1000),
        "more of them for every SM that has written, but for the first");
  f.add("sm_interval", c.sm_interval, ratio(0, 1000),
        "SM cycles between the first blocks of two SMs, in the order of `sm_order`");
  f.add("block_retire_interval", c.block_retire_interval, ratio(0, 1000),
        "SM cycles between the ends of two blocks as the GPU takes note of them; the last ends the kernel");
  f.add("code_prefetch", c.code_prefetch, bytes(0, kGiB),
        "bytes of a kernel's code that its launch brings to the second-level instruction cache");
  f.add("state_bytes", c.state_bytes, bytes(0, kGiB),
        "bytes that a launch reads beyond its code (its description): with cold caches from DRAM");
  f.add("cold_code_delay", c.cold_code_delay, cycles(0, 100'000),
        "SM cycles from a kernel's first block on in which SMs wait for its code when the launch has to bring it from "
        "DRAM (cold caches)");
  f.add("sm_ways", c.sm_ways, cycles(0, 100'000),
        "SM cycles more than sm.occupancy.block_replacement_delay from a block's end to the next block's start, by "
        "number "
        "of SM; those not named: none");
  f.add("sm_order", c.sm_order, count(0, 65535),
        "numbers of the SMs in the order that gets a kernel's first blocks; SMs not named follow by number");
  f.add(
      "group_sms", c.group_sms, count(1, 65535),
      "SMs of each group of `sm_order`: a group's turn gives a block to each of its SMs, and what is no whole round is "
      "dealt out to the groups, by TPCs of two SMs; none: one SM after the other");
  f.add("first_group_turns", c.first_group_turns, count(0, 65535),
        "turns of other groups after which the first group, which begins, has one again; 0: groups take turns");
}

void describe(FieldList& f, CacheGeometry& c) {
  f.add("size", c.size, bytes(32, kGiB), "capacity; a whole number of lines per way");
  f.add("line", c.line, bytes(16, 4096), "line size; a power of two");
  f.add("ways", c.ways, count(1, 4096), "lines per set");
}

}  // namespace sassim::config
