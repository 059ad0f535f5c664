// SPDX-License-Identifier: Apache-2.0
// The keys of kernel launches and copies (launch): limits, unit and meaning of each (field.h).
#include "sim/config/describe.h"

namespace sassim::config {

namespace {

void describe_floor_plan(FieldList& f, Launch& c) {
  f.optional(
      "sm_order", c.sm_order, count(0, 65535),
      "SM numbers (%smid) in the order in which SMs get the first blocks of a kernel; SMs that are not listed follow "
      "by number. Decides which blocks share an SM and its L1. Kernels that write %smid show the order. The model "
      "registers ended blocks of the SMs in the same order.");
  f.optional(
      "group_sms", c.group_sms, count(1, 65535),
      "Sizes of the groups into which `sm_order` is divided. Groups take turns, and in its turn each SM of a group "
      "gets one block. Blocks that do not fill a whole round are spread over the groups, in TPCs of two SMs. Empty: "
      "all SMs form one group.");
  f.optional(
      "first_group_turns", c.first_group_turns, count(0, 65535),
      "The first group of `group_sms` has the first turn; after that it has one turn per this many turns of other "
      "groups. 0: it has as many turns as they have. With a larger value its SMs get fewer of the first blocks. For "
      "a chip whose first group is small.");
}

void describe_copies(FieldList& f, Launch& c) {
  f.optional(
      "stream_wait", c.stream_wait, time(Domain::sm, 0, 100'000'000),
      "Time in SM cycles or ns from the end of a stream's work to the start of work in another stream that waits "
      "for it, through an event or because one of the two is the default stream. With a larger value, dependent "
      "kernels of different streams start later.");
  f.optional(
      "copy_latency", c.copy_latency, time(Domain::sm, 0, 100'000'000),
      "Time in SM cycles or ns of a copy between host and device in addition to its bytes divided by the bandwidth: "
      "from the end of the stream's earlier work to the end of a copy of few bytes. Applies with copy_to_device and "
      "copy_to_host.");
  f.optional(
      "copy_to_device", c.copy_to_device, rate(0, 1'000'000'000'000'000),
      "Bandwidth of the copy engine from page-locked host memory to the device, in bytes per second. Copies of one "
      "direction follow each other; they run beside kernels and copies of the other direction. 0: copies take no "
      "time.");
  f.optional(
      "copy_to_host", c.copy_to_host, rate(0, 1'000'000'000'000'000),
      "Bandwidth of the copy engine from the device to page-locked host memory, in bytes per second. 0: copies take no "
      "time.");
  f.optional("device_copy_latency", c.device_copy_latency, time(Domain::sm, 0, 100'000'000),
             "Time in SM cycles or ns of a copy or fill within device memory in addition to its bytes divided by the "
             "bandwidth. Applies with device_copy and device_fill.");
  f.optional(
      "device_copy", c.device_copy, rate(0, 1'000'000'000'000'000),
      "Bandwidth of copies within device memory, in bytes copied per second; each byte is read and written. Copies "
      "and fills follow each other and run beside kernels, which they do not slow down. 0: these copies take no time.");
  f.optional(
      "cached_copy", c.cached_copy, rate(0, 1'000'000'000'000'000),
      "Bandwidth of copies within device memory of at most cached_copy_bytes, whose source and destination stay in "
      "the L2, in bytes copied per second. 0: as device_copy.");
  f.optional(
      "cached_copy_bytes", c.cached_copy_bytes, bytes(0, 4096 * kMiB),
      "Largest copy within device memory whose source and destination stay in the L2 together. Larger copies move at "
      "device_copy.");
  f.optional("device_fill", c.device_fill, rate(0, 1'000'000'000'000'000),
             "Bandwidth of fills of device memory (cudaMemset), in bytes per second. 0: fills take no time.");
}

void describe_code(FieldList& f, Launch& c) {
  f.add("code_start", c.code_start, bytes(64 * 1024, kGiB),
        "Offset in bytes of the first kernel's code in the memory that holds code; a multiple of 128. The driver "
        "chooses it. It decides which sets and which half of the L2 hold the code.");
  f.add("code_prefetch", c.code_prefetch, bytes(0, kGiB),
        "Bytes at the start of a kernel's code that the launch loads into the L2 and the second-level instruction "
        "caches of the SMs before the first block starts. Code behind them misses when it is first fetched.");
  f.optional(
      "state_bytes", c.state_bytes, bytes(0, kGiB),
      "Bytes that a launch reads besides code: the kernel's description and parameters. With cold caches they come "
      "from DRAM and count in the DRAM metrics.");
  f.optional(
      "cold_code_delay", c.cold_code_delay, cycles(0, 100'000),
      "SM cycles for which the first blocks wait for their code if the launch must fetch it from DRAM because the "
      "caches are cold. 0: the code arrives before the blocks start.");
}

}  // namespace

void describe(FieldList& f, Launch& c) {
  describe_copies(f, c);
  f.add("overhead_cycles", c.overhead_cycles, time(Domain::sm, 0, 10'000'000),
        "Time in SM cycles or ns that the host takes to submit a launch. Back-to-back kernels that are shorter than "
        "this wait for the host. Reported separately; never part of a kernel's cycles.");
  f.optional(
      "event_cycles", c.event_cycles, time(Domain::sm, 0, 10'000'000),
      "Time in SM cycles or ns that the host takes to record an event. The time between two events grows with it.");
  f.add("latency", c.latency, time(Domain::sm, 0, 1'000'000),
        "Time of a kernel in which none of its blocks is on an SM: before the first block starts and after the last "
        "block ends. Every kernel takes this much longer. Measured as the elapsed cycles of a kernel with one short "
        "block, less the cycles for which its SM is active.");
  f.option(
      "places",
      "The driver keeps the constants of a launch, such as the kernel's arguments, in one of a few places, which the "
      "launches of a program use in turn. none: every launch finds its constants in the caches of the GPCs.",
      [&] {
        f.add("count", c.places.count, count(1, 1'000'000),
              "Number of places, and so of the first launches of a program whose constants are in no cache of the GPCs "
              "yet. With more places, more launches of a program start slowly.");
        f.add("fetch_latency", c.places.fetch_latency, cycles(0, 100'000),
              "SM cycles from an SM's first request for constants of such a launch until they are there. Its blocks "
              "wait that much longer for their first constants. With cold caches cold_code_delay has this time in it.");
        f.add("reuse_latency", c.places.reuse_latency, time(Domain::sm, 0, 1'000'000),
              "Time by which `latency` is longer for launches that use a place again. Every launch after the first "
              "`count` of a program takes this much longer.");
      });
  f.optional(
      "flush", c.flush, time(Domain::sm, 0, 1'000'000),
      "The part of `latency` after the end of the last block. Stores that are in flight then cost nothing if they "
      "arrive within this time.");
  f.optional(
      "write_flush", c.write_flush, cycles(0, 1'000'000),
      "SM cycles by which a kernel that has written to global memory ends later, because its writes become visible "
      "to others.");
  f.optional("write_flush_interval", c.write_flush_interval, ratio(0, 1000),
             "SM cycles that each further SM that has written adds to `write_flush`.");
  f.optional(
      "sm_interval", c.sm_interval, ratio(0, 1000),
      "SM cycles from the first block of one SM to the first block of the next SM in `sm_order`. The last SM of a "
      "large GPU starts later by this times the number of SMs.");
  f.optional(
      "block_retire_interval", c.block_retire_interval, ratio(0, 1000),
      "SM cycles that the GPU takes to register the end of a block; it registers ended blocks one after the other, "
      "from the SMs in turn, and only then starts the blocks that replace them. It limits the rate of very short "
      "blocks.");
  describe_code(f, c);
  describe_floor_plan(f, c);
}

}  // namespace sassim::config
