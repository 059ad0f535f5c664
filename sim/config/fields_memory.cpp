// SPDX-License-Identifier: Apache-2.0
// Keys of translation and the network. The L2 and the DRAM have their own files.
#include "sim/config/describe.h"

namespace sassim::config {

namespace {

/// The keys of the two halves belong to one mechanism; their members are in the structs of the parts that use them.
void describe_halves(FieldList& f, Memory& c) {
  f.option(
      "halves",
      "The chip has two halves, each with a part of the SMs, the L2 slices and the channels, and a link between them. "
      "none: all SMs reach all slices alike.",
      [&] {
        f.add("parts", c.l2.partitions, count(1, 2), "Halves: 2, or 1 to make one L2 of both.");
        f.add("latency", c.crossbar.far_latency, cycles(0, 10'000),
              "SM cycles that the link adds, each way, to an access to the other half.");
        f.add("bytes_per_cycle", c.crossbar.far_bytes_per_cycle, bytes(0, 65536),
              "Bytes of data per L2 cycle that one slice can send over the link; 0: any amount.");
        f.add("near_copies", c.l2.near_copies, flag(),
              "Whether a half keeps copies of lines of the other half that its SMs read. If so, data that all SMs read "
              "takes twice the room, and is far away only the first time.");
        f.add("span", c.l2.half_interleave, bytes(0, kMiB),
              "Neighbouring bytes of memory that are at home in one half; 0: as their slices are.");
        f.add("gpcs", c.crossbar.gpc_halves, count(0, 1),
              "The half (0 or 1) in which each GPC of crossbar.gpc_sms lies; GPCs that are not named lie in 0.");
      });
}

}  // namespace

void describe(FieldList& f, Memory& c) {
  f.add("model", c.model, one_of({"full", "fixed"}),
        "The whole memory system, or one latency for everything beyond the SM.");
  f.add("fixed_latency", c.fixed_latency, cycles(1, 100'000), "SM cycles of every request when memory.model is fixed.");
  f.add("size", c.size, bytes(kMiB, 4096 * kGiB), "Device memory.");
  f.add(
      "bandwidth", c.bandwidth, rate(0, 1'000'000'000'000'000),
      "Peak bandwidth of the DRAM pins, with 10^9 bytes to the GB as in data sheets. Where clock.dram is not said with "
      "it, "
      "the clock follows from it; else it follows from channels, width and clock, and must agree when both are said.");
  f.group("l2_tlb", c.l2_tlb, "Last-level TLB, shared by the chip.");
  f.add("page_walk_latency", c.page_walk_latency, cycles(0, 100'000),
        "SM cycles of a page walk besides its loads. Every miss of the last-level TLB costs it.");
  f.add("page_walk_levels", c.page_walk_levels, count(0, 8),
        "Loads of a page walk, one after the other, through L2 and DRAM.");
  f.add("page_walkers", c.page_walkers, count(1, 4096), "Walks that may be in progress at once.");
  describe_halves(f, c);
  f.group("crossbar", c.crossbar, "The network between SMs and L2 slices.");
  f.group("l2", c.l2, "The L2 cache.");
  f.group("dram", c.dram, "The channels of device memory.");
}

void describe(FieldList& f, TlbConfig& c) {
  f.add(
      "entries", c.entries, count(0, 1u << 20),
      "Translations that it keeps. entries x page is the memory that programs can walk through without misses. 0, for "
      "sm.tlb only: every page is known and translation costs nothing.");
  f.add("page", c.page, bytes(4096, 16 * kGiB), "Bytes that one entry covers; a power of two.");
  f.add("ways", c.ways, count(0, 1u << 20), "Entries per set; 0: fully associative.");
  f.add("latency", c.latency, cycles(0, 100'000), "SM cycles that a hit here adds to an access.");
  f.add("ports", c.ports, count(1, 64), "Lookups per SM cycle.");
}

namespace {

void describe_packets(FieldList& f, CrossbarConfig& c) {
  f.add("request_bytes_per_cycle", c.request_bytes_per_cycle, bytes(1, 4096),
        "Width of an SM's port towards the L2, per SM cycle: what one SM can store.");
  f.add("reply_bytes_per_cycle", c.reply_bytes_per_cycle, bytes(1, 4096),
        "Width of an SM's port from the L2, per SM cycle: what one SM can load.");
  f.add("slice_request_bytes_per_cycle", c.slice_request_bytes_per_cycle, bytes(1, 4096),
        "Width of a slice's port from the SMs, per L2 cycle. Times the slices: what all SMs together can store.");
  f.add("slice_reply_bytes_per_cycle", c.slice_reply_bytes_per_cycle, bytes(1, 4096),
        "Width of a slice's port towards the SMs, per L2 cycle. Times the slices: what all SMs together can load from "
        "the "
        "L2.");
  f.add("flit", c.flit, bytes(1, 4096), "Packets are padded to a whole number of these (flow control units).");
  f.add("header", c.header, bytes(0, 4096), "Bytes of a packet besides its payload.");
  f.add("whole_store_header", c.whole_store_header, flag(),
        "Whether stores of whole sectors have a header too; stores of parts always need one for their byte mask.");
  f.add("credits", c.credits, count(1, 65536),
        "Requests of one SM that may be on their way to slices that have not taken them up.");
  f.add("write_credits", c.write_credits, count(0, 65536),
        "Sectors of stores and atomics of one SM that may be on their way to slices; 0: as many as `credits` let. With "
        "fewer "
        "an SM stops sooner when slices are busy.");
}

}  // namespace

void describe(FieldList& f, CrossbarConfig& c) {
  f.add("request_latency", c.request_latency, cycles(1, 10'000),
        "SM cycles from an SM to the nearest slice when nothing else moves. Part of the latency of an L2 hit.");
  f.add("reply_latency", c.reply_latency, cycles(1, 10'000),
        "SM cycles from the nearest slice back to an SM when nothing else moves.");
  describe_packets(f, c);
  f.add("sector_latency", c.sector_latency, ratio(0, 100),
        "SM cycles by which each further sector of a reply arrives after the one before.");
  f.add(
      "spread", c.spread, cycles(0, 10'000),
      "SM cycles, each way, by which the slice that is farthest from an SM is farther than its nearest; the others lie "
      "evenly between. 0: all at the same distance. The average latency of the L2 grows by half of it each way. "
      "Measured by "
      "loads of single lines.");
  f.add("nearest", c.nearest, count(0, 65535),
        "Number of the slice that is nearest to the SMs of the first GPC; with `spread`, the others follow around the "
        "chip. "
        "It decides how far single lines are, not the average.");
  f.add("gpc_sms", c.gpc_sms, count(1, 65535),
        "Number of SMs in each GPC, in the order of launch.sm_order; the last GPC has what is left. Decides who shares "
        "`merge` and lies in which half. Empty: not known.");
  f.option(
      "merge",
      "Loads of the same sectors by several SMs of a GPC go to the L2 as one request, and the reply goes to all of "
      "them. "
      "none: each SM asks for itself.",
      [&] {
        f.add(
            "window", c.merge_window, cycles(0, 1000),
            "SM cycles within which a further load joins the first one. A wider window saves more traffic to the L2.");
        f.add("most", c.merge_most, count(1, 64), "Most loads that become one request.");
      });
}

}  // namespace sassim::config
