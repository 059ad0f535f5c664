// SPDX-License-Identifier: Apache-2.0
// Keys of the memory system beyond the SMs.
#include "sim/config/describe.h"

namespace sassim::config {

void describe(FieldList& f, Memory& c) {
  f.add("model", c.model, one_of({"full", "fixed"}),
        "the whole memory system, or one latency for everything beyond the SM");
  f.add("fixed_latency", c.fixed_latency, cycles(1, 100'000), "SM cycles of a request when memory.model is fixed");
  f.add("size", c.size, bytes(kMiB, 4096 * kGiB), "device memory");
  f.group("l2_tlb", c.l2_tlb, "second-level TLB, shared by the chip");
  f.add("page_walk_latency", c.page_walk_latency, cycles(0, 100'000), "SM cycles of a walk besides its loads");
  f.add("page_walk_levels", c.page_walk_levels, count(0, 8), "dependent loads of a walk, through L2 and DRAM");
  f.add("page_walkers", c.page_walkers, count(1, 4096), "walks under way at once");
  f.group("crossbar", c.crossbar, "the network between SMs and L2 slices");
  f.group("l2", c.l2, "the L2 cache");
  f.group("dram", c.dram, "device memory's channels");
}

void describe(FieldList& f, TlbConfig& c) {
  f.add("entries", c.entries, count(0, 1u << 20), "translations kept; 0, of an SM only: every page is known");
  f.add("page", c.page, bytes(4096, 16 * kGiB), "bytes that one entry covers; a power of two");
  f.add("ways", c.ways, count(0, 1u << 20), "entries per set; 0: fully associative");
  f.add("latency", c.latency, cycles(0, 100'000), "SM cycles that a hit adds");
  f.add("ports", c.ports, count(1, 64), "lookups per cycle");
}

void describe(FieldList& f, CrossbarConfig& c) {
  f.add("request_latency", c.request_latency, cycles(1, 10'000),
        "SM cycles from an SM to a slice when nothing else moves");
  f.add("reply_latency", c.reply_latency, cycles(1, 10'000), "SM cycles from a slice to an SM when nothing else moves");
  f.add("request_bytes_per_cycle", c.request_bytes_per_cycle, bytes(1, 4096),
        "width of an SM's port towards the L2, per SM cycle");
  f.add("reply_bytes_per_cycle", c.reply_bytes_per_cycle, bytes(1, 4096),
        "width of an SM's port from the L2, per SM cycle");
  f.add("slice_request_bytes_per_cycle", c.slice_request_bytes_per_cycle, bytes(1, 4096),
        "width of a slice's port from the SMs, per L2 cycle");
  f.add("slice_reply_bytes_per_cycle", c.slice_reply_bytes_per_cycle, bytes(1, 4096),
        "width of a slice's port towards the SMs, per L2 cycle");
  f.add("flit", c.flit, bytes(1, 4096), "packets are padded to a whole number of these");
  f.add("header", c.header, bytes(0, 4096), "bytes of a packet besides its payload");
  f.add("whole_store_header", c.whole_store_header, flag(),
        "whether stores of whole sectors have a header, which the others need for their byte masks");
  f.add("credits", c.credits, count(1, 65536), "requests of an SM that no slice has taken up yet");
  f.add("write_credits", c.write_credits, count(0, 65536),
        "sectors of stores and atomics of an SM that no slice has taken up yet; 0: any number");
  f.add("far_bytes_per_cycle", c.far_bytes_per_cycle, bytes(0, 65536),
        "what a slice sends to the other partition of the chip, per L2 cycle; 0: any amount");
  f.add("far_latency", c.far_latency, cycles(0, 10'000), "SM cycles added each way to the other partition of the chip");
  f.add("sector_latency", c.sector_latency, ratio(0, 100), "SM cycles for each sector of a reply beyond the first");
  f.add("spread", c.spread, cycles(0, 10'000),
        "SM cycles, each way, that an SM's farthest slice of a partition is beyond its nearest");
  f.add("nearest", c.nearest, count(0, 65535), "the slice that is nearest to the SMs of the first GPC, which with spread");
  f.add("gpc_sms", c.gpc_sms, count(1, 65535),
        "SMs of each GPC, as they follow each other in launch.sm_order, the last with what is left; none: not known");
  f.add("gpc_halves", c.gpc_halves, count(0, 1), "the half of the chip that each GPC is at, in order; others: 0");
  f.add("merge_window", c.merge_window, cycles(0, 1000),
        "in how many SM cycles loads of the same sectors by SMs of one GPC go to the L2 as one; 0: never");
  f.add("merge_most", c.merge_most, count(1, 64), "how many become one at most");
}

void describe(FieldList& f, L2Config& c) {
  f.add("size", c.size, bytes(1024, 16 * kGiB), "capacity of all slices");
  f.add("slices", c.slices, count(1, 4096), "slices; any number, not only powers of two");
  f.add("ways", c.ways, count(1, 1024), "lines per set");
  f.add("line", c.line, bytes(32, 1024), "bytes under one tag; a power of two");
  f.add("sector", c.sector, bytes(16, 1024), "bytes filled at a time; a power of two");
  f.add("partitions", c.partitions, count(1, 2), "2: the chip has a near and a far half");
  f.add("near_copies", c.near_copies, flag(), "a half keeps copies of the other half's lines that its SMs read");
  f.add("upload", c.upload, bytes(0, std::uint64_t{1} << 30),
        "what is left here of the last copies from the host, which pass through a part of the cache and go to DRAM");
  f.add("flushed", c.flushed, bytes(0, std::uint64_t{1} << 30),
        "bytes of others that wait here to be written to DRAM when a kernel starts with emptied caches");
  f.add("replacement", c.replacement, plugin(), "which line of a set goes");
  f.add("hash", c.hash, plugin(), "how an address chooses its slice");
  f.add("set_hash", c.set_hash, plugin(), "how an address chooses its set within a slice");
  f.add("page", c.page, bytes(0, kGiB),
        "pages that lie anywhere in memory: a page's lines begin at any set; 0: as the addresses say");
  f.add("interleave", c.interleave, bytes(32, kMiB), "neighbouring bytes that stay in one slice");
  f.add("group", c.group, count(1, 64),
        "slices that take turns, `interleave` bytes each, within a stretch of addresses");
  f.add("group_interleave", c.group_interleave, bytes(0, kMiB), "bytes of such a stretch; 0: one turn of each");
  f.add("half_interleave", c.half_interleave, bytes(0, kMiB),
        "neighbouring bytes at home in one half of the chip; 0: as they fall to the slices");
  f.add("fetch", c.fetch, bytes(16, 1024), "bytes that a missing sector brings from DRAM");
  f.add("dirty_ways", c.dirty_ways, count(0, 1024),
        "lines of a set that may wait to be written back: beyond it the oldest is written, and kept; 0: all");
  f.add("partial_ways", c.partial_ways, count(0, 1024),
        "of them lines with sectors written in part: beyond it the oldest is filled and written; 0: all");
  f.add("write_sector", c.write_sector, bytes(1, 4096),
        "what a written sector takes of the time of a slice's data array, as bytes");
  f.add("write_partial", c.write_partial, bytes(1, 4096), "the same where only a part of the sector is written");
  f.add("byte_masks", c.byte_masks, flag(),
        "whether a slice knows the bytes that were stored, so that a sector written part by part becomes whole");
  f.add("write_merge", c.write_merge, bytes(0, 4096),
        "the same at least for a whole request that stores only a part of a sector: what was there is read and merged");
  f.add("write", c.write, one_of({"back", "through"}), "when written data goes to DRAM: on replacement, or at once");
  f.add("latency", c.latency, cycles(1, 10'000), "L2 cycles through a slice on a hit");
  f.add("bytes_per_cycle", c.bytes_per_cycle, bytes(1, 4096), "what a slice's data array delivers per L2 cycle");
  f.add("pending_requests", c.pending_requests, count(1, 65536), "lines per slice with fills under way");
  f.add("atomic_interval", c.atomic_interval, cycles(1, 1024), "L2 cycles of the atomic unit per sector");
  f.add("atomic_latency", c.atomic_latency, cycles(0, 10'000), "L2 cycles that a load waits for an atomic on its line");
  f.add("atomic_return", c.atomic_return, cycles(0, 10'000),
        "L2 cycles that an atomic's old value takes longer than a load's data");
  f.add("atomic_sector_latency", c.atomic_sector_latency, ratio(0, 1000),
        "L2 cycles in addition for each of its sectors");
  f.add("atomic_lane_latency", c.atomic_lane_latency, ratio(0, 1000),
        "L2 cycles in addition for each lane on its busiest address");
  f.add("atomic_partial_interval", c.atomic_partial_interval, ratio(0, 1000),
        "the same for a sector of which not every word changes (sm.l1.atomic_waves); 0: as a whole one");
  f.add("atomic_float_interval", c.atomic_float_interval, ratio(0, 1000),
        "L2 cycles from one floating-point operation on a sector to the next; 0: as whole numbers");
  f.add("atomic_turn", c.atomic_turn, ratio(0, 1000),
        "L2 cycles from one operation on a line to the next, if others come between or only one of the two returns a value");
  f.add("atomic_minimum", c.atomic_minimum, ratio(0, 1000),
        "L2 cycles of the atomic unit, at least, per request for another line than the last four");
}

void describe(FieldList& f, DramConfig& c) {
  f.add("model", c.model, one_of({"ddr", "fixed"}), "banks, rows and commands, or one latency");
  f.add("type", c.type, text(), "kind of memory, for people");
  f.add("channels", c.channels, count(1, 1024), "channels");
  f.add("pseudo_channels", c.pseudo_channels, count(1, 8), "independent halves of a channel");
  f.add("bank_groups", c.bank_groups, count(1, 64), "bank groups per pseudo channel");
  f.add("banks_per_group", c.banks_per_group, count(1, 64), "banks per group");
  f.add("bus_bits", c.bus_bits, count(8, 4096), "data width of one pseudo channel");
  f.add("burst", c.burst, count(1, 64), "transfers (beats) per column command");
  f.add("beats_per_clock", c.beats_per_clock, count(1, 32),
        "beats per cycle of the command clock: HBM2 2, HBM3 4, GDDR6 8");
  f.add("row_bytes", c.row_bytes, bytes(64, kMiB), "row buffer of one bank of one pseudo channel");
  f.add("map", c.map, one_of({"row_bank_column", "row_column_bank"}), "order of the address's parts, highest first");
  f.add("latency", c.latency, cycles(0, 10'000),
        "L2 cycles in controller and PHY, both ways together, besides the timings");
  f.add("fixed_latency", c.fixed_latency, cycles(1, 100'000),
        "DRAM cycles of an access when memory.dram.model is fixed");
  f.add("scheduler", c.scheduler, plugin(), "which request a channel serves next");
  f.add("row_policy", c.row_policy, one_of({"open", "closed"}),
        "closed: a row that no queued access wants is closed at once");
  f.add("queue", c.queue, count(1, 65536), "reads that the scheduler chooses from, per pseudo channel");
  f.add("write_queue", c.write_queue, count(1, 65536), "writes that wait per pseudo channel");
  f.add("write_high", c.write_high, count(1, 65536), "queued writes at which draining starts");
  f.add("write_low", c.write_low, count(0, 65536), "queued writes at which draining ends");
  f.add("write_stay", c.write_stay, cycles(0, 100'000),
        "DRAM cycles that a channel stays with writes at least, once it has turned to them");
  f.add("starvation_limit", c.starvation_limit, cycles(1, 1'000'000),
        "DRAM cycles after which younger row hits no longer go first");
  f.add("ecc", c.ecc, one_of({"none", "inline"}),
        "where check bits are: none, or on data lines of their own; inline, one burst more for each access");
  f.add("refresh", c.refresh, one_of({"per_bank", "all_bank", "none"}), "which banks a refresh takes");
  const Spec timing = cycles(0, 100'000);
  f.add("tCL", c.tCL, timing, "DRAM cycles from a read command to its data");
  f.add("tCWL", c.tCWL, timing, "DRAM cycles from a write command to its data");
  f.add("tRCD", c.tRCD, timing, "DRAM cycles from activating a row to a column command");
  f.add("tRP", c.tRP, timing, "DRAM cycles of a precharge");
  f.add("tRAS", c.tRAS, timing, "DRAM cycles from activating a row to its precharge");
  f.add("tRC", c.tRC, timing, "DRAM cycles between two activations of one bank");
  f.add("tWR", c.tWR, timing, "DRAM cycles from the end of write data to a precharge");
  f.add("tRTP", c.tRTP, timing, "DRAM cycles from a read command to a precharge");
  f.add("tCCDS", c.tCCDS, cycles(1, 1000), "DRAM cycles between column commands to different bank groups");
  f.add("tCCDL", c.tCCDL, cycles(1, 1000), "DRAM cycles between column commands to one bank group");
  f.add("tRRDS", c.tRRDS, timing, "DRAM cycles between activations in different bank groups");
  f.add("tRRDL", c.tRRDL, timing, "DRAM cycles between activations in one bank group");
  f.add("tWTRS", c.tWTRS, timing, "DRAM cycles from write data to a read in another bank group");
  f.add("tWTRL", c.tWTRL, timing, "DRAM cycles from write data to a read in the same bank group");
  f.add("tFAW", c.tFAW, timing, "DRAM cycles that hold at most four activations");
  f.add("tRFC", c.tRFC, timing, "DRAM cycles of a refresh");
  f.add("tRFCpb", c.tRFCpb, timing, "DRAM cycles of a refresh of one bank");
  f.add("tREFI", c.tREFI, cycles(0, 10'000'000), "DRAM cycles between refreshes; 0: never");
}

}  // namespace sassim::config
