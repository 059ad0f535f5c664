// SPDX-License-Identifier: Apache-2.0
// Keys of kernel launches.
#include "sim/config/describe.h"

namespace sassim::config {

namespace {

void describe_floor_plan(FieldList& f, Launch& c) {
  f.add("sm_ways", c.sm_ways, cycles(0, 100'000),
        "How far each SM is from the unit that hands out thread blocks: SM cycles, by number of SM, that are added to "
        "sm.occupancy.block_replacement_delay when a new block takes the place of an ended one. SMs that the list does "
        "not "
        "name are near (0). Larger values leave an SM idle for longer between blocks. It differs from die to die.");
  f.add(
      "sm_order", c.sm_order, count(0, 65535),
      "Numbers of the SMs (%smid) in the order in which they get the first blocks of a kernel; SMs that are not named "
      "follow by number. Decides which blocks share an SM and its L1. Shown by kernels that write %smid.");
  f.add("group_sms", c.group_sms, count(1, 65535),
        "Sizes of the groups that `sm_order` falls into. In a group's turn each of its SMs gets one block, then it is "
        "the "
        "next group's turn; blocks that are no whole round are dealt out to the groups, to TPCs of two SMs. An empty "
        "list "
        "makes one group of all SMs.");
  f.add("first_group_turns", c.first_group_turns, count(0, 65535),
        "The first group of `group_sms` starts, and after that gets a turn only once in this many turns of other "
        "groups; 0: "
        "it has turns like the others. A larger value gives its SMs fewer of the first blocks. For a "
        "chip whose first group is small.");
}

}  // namespace

void describe(FieldList& f, Launch& c) {
  f.add("overhead_cycles", c.overhead_cycles, time(Domain::sm, 0, 10'000'000),
        "Time the host takes to submit a launch, in SM cycles or ns. Back-to-back kernels that are shorter than this "
        "wait "
        "for the host. Reported apart, never part of a kernel's cycles.");
  f.add("event_cycles", c.event_cycles, time(Domain::sm, 0, 10'000'000),
        "Time the host takes to record an event, in SM cycles or ns. Times between two events grow with it.");
  f.add("latency", c.latency, time(Domain::sm, 0, 1'000'000),
        "SM cycles of a kernel in which none of its blocks is on an SM: before the first one starts and after the last "
        "one "
        "ends. Every kernel takes that much longer; short kernels consist of it. Measured as the elapsed cycles of a "
        "kernel "
        "of one short block, less the cycles for which its SM is active.");
  f.add(
      "flush", c.flush, time(Domain::sm, 0, 1'000'000),
      "The part of `latency` that passes after the last block. Stores that are still on their way to the L2 then cost "
      "nothing while they take no longer than this.");
  f.add("write_flush", c.write_flush, cycles(0, 1'000'000),
        "SM cycles by which a kernel that has written to global memory ends later, while its writes are made visible.");
  f.add("write_flush_interval", c.write_flush_interval, ratio(0, 1000),
        "SM cycles that are added to `write_flush` for every SM that has written, beyond the first.");
  f.add(
      "sm_interval", c.sm_interval, ratio(0, 1000),
      "SM cycles from the first block of one SM to the first block of the next in `sm_order`. The last SMs of a large "
      "GPU start later by this times their number.");
  f.add(
      "block_retire_interval", c.block_retire_interval, ratio(0, 1000),
      "SM cycles between two ended blocks as the GPU takes note of them, one after the other. Grids of many very short "
      "blocks take at least this long for each.");
  f.add("code_start", c.code_start, bytes(64 * 1024, kGiB),
        "Where the code of a program's first kernel begins, in bytes from the start of the memory that holds code. The "
        "driver chooses it. It decides which sets and which half of the L2 the code lies in. A multiple of 128.");
  f.add("code_prefetch", c.code_prefetch, bytes(0, kGiB),
        "Bytes of a kernel's code, from its beginning, that a launch brings to the L2 and to the SMs' second-level "
        "instruction caches before the first block runs. Code beyond it misses when it is first reached.");
  f.add(
      "state_bytes", c.state_bytes, bytes(0, kGiB),
      "Bytes that a launch reads besides the code: the kernel's description and parameters. With cold caches they come "
      "from DRAM and are in the DRAM counters.");
  f.add(
      "cold_code_delay", c.cold_code_delay, cycles(0, 100'000),
      "SM cycles for which the first blocks wait for their code when the launch has to fetch it from DRAM, because the "
      "caches are cold. 0: the code is there as soon as the blocks.");
  describe_floor_plan(f, c);
}

}  // namespace sassim::config
