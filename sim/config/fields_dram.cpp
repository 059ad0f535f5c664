// SPDX-License-Identifier: Apache-2.0
// Keys of the memory channels.
#include "sim/config/describe.h"

namespace sassim::config {

namespace {

void describe_shape(FieldList& f, DramConfig& c) {
  f.add("channels", c.channels, count(1, 1024),
        "Channels, each with its own commands; HBM2 has 8 in a stack, GDDR6 two of 16 bits in a device.");
  f.add("pseudo_channels", c.pseudo_channels, count(1, 8),
        "Independent parts of a channel, each with its own data lines.");
  f.add("bank_groups", c.bank_groups, count(1, 64),
        "Bank groups per pseudo channel. Commands to different groups may follow each other sooner.");
  f.add("banks_per_group", c.banks_per_group, count(1, 64),
        "Banks per group. More banks: more rows open at a time, fewer row conflicts.");
  f.add("bus_bits", c.bus_bits, count(8, 4096), "Data lines of one pseudo channel.");
  f.add("burst", c.burst, count(1, 64), "Transfers (beats) per column command; bus_bits x burst is one sector.");
  f.add("beats_per_clock", c.beats_per_clock, count(1, 32),
        "Beats in a cycle of the command clock: HBM2 2, HBM3 4, GDDR5 4, GDDR6 8.");
  f.add("row_bytes", c.row_bytes, bytes(64, kMiB),
        "Row buffer of one bank of one pseudo channel. Longer rows give more row hits to neighbouring accesses.");
  f.add(
      "map", c.map, one_of({"row_bank_column", "row_column_bank"}),
      "Order of an address's parts, highest first: whether neighbouring lines share a row or lie in different banks.");
}

void describe_controller(FieldList& f, DramConfig& c) {
  f.add("latency", c.latency, time(Domain::l2, 0, 10'000),
        "L2 cycles, or a time, that controller and wires take, both ways together, besides the timings below. Part of "
        "the "
        "latency of an L2 miss.");
  f.add("fixed_latency", c.fixed_latency, cycles(1, 100'000),
        "Cycles of clock.dram of every access when memory.dram.model is fixed.");
  f.add("scheduler", c.scheduler, plugin(), "Which request a channel serves next: the name of a policy.");
  f.add("row_policy", c.row_policy, one_of({"open", "closed"}),
        "What happens to a row after an access. open: it stays open for later ones; closed: it is closed as soon as no "
        "queued access wants it.");
  f.add("queue", c.queue, count(1, 65536),
        "Reads per pseudo channel that the scheduler chooses from. More: more row hits.");
  f.add("write_queue", c.write_queue, count(1, 65536),
        "Writes that wait per pseudo channel. More: fewer turns between reading and writing, longer ones.");
  f.add("write_high", c.write_high, count(1, 65536), "Queued writes at which the channel turns to writing.");
  f.add("write_low", c.write_low, count(0, 65536), "Queued writes at which it turns back to reading.");
  f.add("write_stay", c.write_stay, cycles(0, 100'000),
        "Cycles of clock.dram, at least, for which a channel keeps writing once it has turned to it. Reads wait "
        "longer, and "
        "fewer turns are lost.");
  f.add("starvation_limit", c.starvation_limit, cycles(1, 1'000'000),
        "Cycles of clock.dram after which a waiting request goes before younger row hits.");
  f.add("ecc", c.ecc, one_of({"none", "inline"}),
        "Where check bits are. none: there are none, or they have data lines of their own, as in HBM; inline: in the "
        "same "
        "memory, one burst more for each access, which costs bandwidth.");
}

void describe_timings(FieldList& f, DramConfig& c) {
  const Spec timing = time(Domain::dram, 0, 100'000);
  f.add("refresh", c.refresh, one_of({"per_bank", "all_bank", "none"}),
        "Which banks a refresh keeps busy: one in turn, all of a channel at once, or none.");
  f.add("tCL", c.tCL, timing, "Time from a read command to its data.");
  f.add("tCWL", c.tCWL, timing, "Time from a write command to its data.");
  f.add("tRCD", c.tRCD, timing, "Time from activating a row to a column command on it.");
  f.add("tRP", c.tRP, timing, "Time of a precharge, which closes a row.");
  f.add("tRAS", c.tRAS, timing, "Time from activating a row to its precharge, at least.");
  f.add("tRC", c.tRC, timing,
        "Time between two activations of one bank, at least. Limits random accesses to one bank.");
  f.add("tWR", c.tWR, timing, "Time from the end of write data to a precharge, at least.");
  f.add("tRTP", c.tRTP, timing, "Time from a read command to a precharge, at least.");
  f.add(
      "tCCDS", c.tCCDS, time(Domain::dram, 1, 1000),
      "Time between column commands to different bank groups; normally burst / beats_per_clock cycles, which fills the "
      "bus.");
  f.add("tCCDL", c.tCCDL, time(Domain::dram, 1, 1000), "Time between column commands to one bank group.");
  f.add("tRRDS", c.tRRDS, timing, "Time between activations in different bank groups.");
  f.add("tRRDL", c.tRRDL, timing, "Time between activations in one bank group.");
  f.add("tWTRS", c.tWTRS, timing, "Time from the end of write data to a read in another bank group.");
  f.add("tWTRL", c.tWTRL, timing, "Time from the end of write data to a read in the same bank group.");
  f.add("tFAW", c.tFAW, timing, "A window that holds at most four activations. Limits random accesses to all banks.");
  f.add("tRFC", c.tRFC, timing, "Time of a refresh of all banks, for which the channel is blocked.");
  f.add("tRFCpb", c.tRFCpb, timing, "Time of a refresh of one bank, for which the bank is blocked.");
  f.add("tREFI", c.tREFI, time(Domain::dram, 0, 10'000'000),
        "Time between two refreshes; 0: never. tRFC / tREFI is the share of time that refreshing all banks takes.");
}

}  // namespace

void describe(FieldList& f, DramConfig& c) {
  f.add("model", c.model, one_of({"ddr", "fixed"}), "Banks, rows and commands, or one latency.");
  f.add("type", c.type, text(), "Kind of memory, for people.");
  describe_shape(f, c);
  describe_controller(f, c);
  describe_timings(f, c);
}

}  // namespace sassim::config
