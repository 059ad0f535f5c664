// SPDX-License-Identifier: Apache-2.0
// The keys of the memory, its halves, translation and the network (memory): limits, unit and meaning of each (field.h).
// Those of the L2 and the DRAM have files of their own.
#include "sim/config/describe.h"

namespace sassim::config {

namespace {

void describe_halves(FieldList& f, Memory& c) {
  f.option("halves",
           "The chip has two halves, each with some of the SMs, L2 slices and channels, and a link between them. none: "
           "every SM reaches every slice in the same way.",
           [&] {
             f.add("parts", c.halves.parts, count(1, 2), "Number of halves: 2, or 1 to treat both as one L2.");
             f.add("latency", c.halves.latency, cycles(0, 10'000),
                   "SM cycles that the link adds in each direction to an access to the other half. change_latency and "
                   "result_latency add to it.");
             f.add("change_latency", c.halves.change_latency, cycles(0, 10'000),
                   "SM cycles more until a request that changes a line (a store, a reduction or an atomic) reaches the "
                   "other half. It passes the slice of its SM's own half first.");
             f.add("result_latency", c.halves.result_latency, cycles(0, 10'000),
                   "SM cycles more until the result of an atomic in the other half is back at its SM.");
             f.add("bytes_per_cycle", c.halves.bytes_per_cycle, bytes(0, 65536),
                   "Bytes of data per L2 cycle that one slice can send to the other half; 0: no limit. Limits the "
                   "bandwidth of far accesses.");
             f.add("near_copies", c.halves.near_copies, flag(),
                   "Whether a half keeps copies of lines of the other half that its SMs read. Then data that all SMs "
                   "read takes twice the capacity, and only its first access is far.");
             f.add("mask_bytes", c.halves.mask_bytes, bytes(0, 4096),
                   "Bytes that the byte masks of partly written sectors add to a store on its way to the other half "
                   "(bytes_per_cycle). A larger value slows scattered far stores.");
             f.add("hold_stores", c.halves.hold_stores, flag(),
                   "Whether a store to a line of the other half waits in the slice of its own half, with the requests "
                   "behind it, while data for the copy there are on their way. With true, loads of lines to which "
                   "both halves store take longer the more SMs load them.");
             f.add("invalidation_interval", c.halves.invalidation_interval, cycles(0, 10'000),
                   "L2 cycles between two stores to one line that each invalidate the copy in the other half; the "
                   "later one waits in the data array. A larger value slows stores of both halves to one line, and "
                   "loads of it.");
             f.add(
                 "span", c.halves.span, bytes(0, kMiB),
                 "Consecutive bytes of memory that belong to one half before the other half follows; 0: the hash that "
                 "chooses the slice also chooses the half.");
             f.add("gpcs", c.halves.gpcs, count(0, 1),
                   "The half (0 or 1) of each GPC in crossbar.gpc_sms; GPCs that are not listed are in half 0.");
           });
}

}  // namespace

void describe(FieldList& f, Memory& c) {
  f.add("model", c.model, one_of({"full", "fixed"}),
        "Whether the whole memory system is simulated (full), or every request takes fixed_latency (fixed).");
  f.add("fixed_latency", c.fixed_latency, cycles(1, 100'000), "SM cycles of every request if memory.model is fixed.");
  f.add("size", c.size, bytes(kMiB, 4096 * kGiB), "Device memory that programs can allocate.");
  f.add("bandwidth", c.bandwidth, rate(0, 1'000'000'000'000'000),
        "Peak bandwidth of the DRAM pins; 1 GB is 10^9 bytes, as in data sheets. If a configuration does not give "
        "clock.dram, the clock follows from this; otherwise this follows from channels, width and clock. If both are "
        "given, they must agree.");
  f.group("l2_tlb", c.l2_tlb, "Last-level TLB of the chip, which all SMs share.");
  f.add("page_walk_latency", c.page_walk_latency, time(Domain::sm, 0, 100'000),
        "Time of a page walk without its loads. Every miss of the last-level TLB takes this much longer.");
  f.add("page_walkers", c.page_walkers, count(1, 4096),
        "Page walks that can be in progress at the same time. Limits the rate of TLB misses.");
  describe_halves(f, c);
  f.group("crossbar", c.crossbar, "The network between SMs and L2 slices.");
  f.group("l2", c.l2, "The L2 cache.");
  f.group("dram", c.dram, "The channels of device memory.");
}

void describe(FieldList& f, TlbConfig& c) {
  f.add("entries", c.entries, count(0, 1u << 20),
        "Translations that the TLB holds. entries x page is the memory that a program can use without misses. 0 "
        "(sm.tlb only): every page is known, and translation costs nothing.");
  f.add("page", c.page, bytes(4096, 16 * kGiB), "Bytes of memory that one entry covers; a power of two.");
  f.optional("ways", c.ways, count(0, 1u << 20), "Entries per set; 0: fully associative.");
  f.optional("latency", c.latency, cycles(0, 100'000), "SM cycles that a hit in this TLB adds to an access.");
}

namespace {

void describe_packets(FieldList& f, CrossbarConfig& c) {
  f.add("request_bytes_per_cycle", c.request_bytes_per_cycle, bytes(1, 4096),
        "Width of an SM's port to the L2, in bytes per SM cycle. Limits the bandwidth of one SM's stores.");
  f.add("reply_bytes_per_cycle", c.reply_bytes_per_cycle, bytes(1, 4096),
        "Width of an SM's port from the L2, in bytes per SM cycle. Limits the bandwidth of one SM's loads.");
  f.add("slice_request_bytes_per_cycle", c.slice_request_bytes_per_cycle, bytes(1, 4096),
        "Width of a slice's port from the SMs, in bytes per L2 cycle. Times the slices, it limits the store bandwidth "
        "of all SMs.");
  f.add("slice_reply_bytes_per_cycle", c.slice_reply_bytes_per_cycle, bytes(1, 4096),
        "Width of a slice's port to the SMs, in bytes per L2 cycle. Times the slices, it limits the load bandwidth of "
        "all SMs from the L2.");
  f.add("flit", c.flit, bytes(1, 4096), "Flow control unit in bytes: a packet takes a whole number of these.");
  f.add("header", c.header, bytes(0, 4096),
        "Bytes of a packet besides its payload. Longer headers leave less bandwidth for data.");
  f.add("whole_store_header", c.whole_store_header, flag(),
        "Whether stores of whole sectors have a header too. Stores of parts of sectors always have one for their byte "
        "mask.");
  f.add("credits", c.credits, count(1, 65536),
        "Requests of one SM that can be in flight to slices that have not yet accepted them. With fewer credits, an SM "
        "stalls sooner when slices are busy.");
  f.optional(
      "write_credits", c.write_credits, count(0, 65536),
      "Sectors of stores and atomics of one SM that can be in flight to slices; 0: as many as `credits` allow. With "
      "fewer, an SM stalls sooner when slices are busy.");
}

}  // namespace

void describe(FieldList& f, CrossbarConfig& c) {
  f.add("request_latency", c.request_latency, cycles(1, 10'000),
        "SM cycles of a request from an SM to its nearest slice in an idle network. Part of the latency of an L2 hit.");
  f.add("reply_latency", c.reply_latency, cycles(1, 10'000),
        "SM cycles of a reply from the nearest slice to an SM in an idle network. Part of the latency of an L2 hit.");
  describe_packets(f, c);
  f.optional("sector_latency", c.sector_latency, ratio(0, 100),
             "SM cycles between the arrivals of two neighbouring sectors of a reply.");
  f.optional(
      "spread", c.spread, cycles(0, 10'000),
      "SM cycles that a message takes longer, in each direction, to an SM's farthest slice than to its nearest one; "
      "the latencies of the other slices are spaced evenly in between. 0: all slices are at the same distance. Half "
      "of it, in each direction, is part of the average latency of the L2. Measured with loads of single lines.");
  f.optional(
      "nearest", c.nearest, count(0, 65535),
      "Number of the slice nearest to the SMs of the first GPC; with `spread`, the other slices follow around the "
      "chip. It changes the distance of single lines, not the average.");
  f.optional(
      "gpc_sms", c.gpc_sms, count(1, 65535),
      "Number of SMs of each GPC, in the order of launch.sm_order; the last GPC has the remaining SMs. Decides which "
      "SMs share `merge` and a half. Empty: not known.");
  f.option(
      "merge",
      "Loads of the same sectors by several SMs of a GPC go to the L2 as one request, and all of these SMs get the "
      "reply. none: each SM sends its own request.",
      [&] {
        f.add(
            "window", c.merge.window, cycles(0, 1000),
            "SM cycles after the first load within which further loads join it. A wider window saves more L2 traffic.");
        f.add("most", c.merge.most, count(1, 64),
              "Most loads that can become one request. A higher limit saves more L2 traffic.");
        f.add(
            "system", c.merge.system, flag(),
            "Whether loads of system scope, such as volatile loads, merge as well. With false, SMs that poll one word "
            "by volatile loads wait for each other at its slice.");
        f.add("system_lines", c.merge.system_lines, count(1, 64),
              "Most loads of system scope that can become one request if they load whole lines and system is false; 1: "
              "none merge. A higher limit saves L2 traffic of lines that many SMs read by volatile loads.");
        f.add(
            "split_copies", c.merge.split_copies, flag(),
            "Whether loads of an asynchronous copy past the L1 (LDGSTS.BYPASS) merge even if the copy needs several of "
            "them for a line, because what it reads of the line goes to several lines of 128 bytes in shared memory. "
            "With false, SMs that copy the same lines to padded tiles read them from the L2 once per SM.");
      });
}

}  // namespace sassim::config
