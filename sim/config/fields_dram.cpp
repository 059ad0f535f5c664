// SPDX-License-Identifier: Apache-2.0
// The keys of the DRAM channels (memory.dram): limits, unit and meaning of each (field.h).
#include "sim/config/describe.h"

namespace sassim::config {

namespace {

void describe_shape(FieldList& f, DramConfig& c) {
  f.add("channels", c.channels, count(1, 1024),
        "Independent DRAM interfaces, each with its own commands; HBM2 has 8 per stack, GDDR6 has two of 16 bits per "
        "device. More channels give more bandwidth.");
  f.add("pseudo_channels", c.pseudo_channels, count(1, 8),
        "Independent parts of a channel, each with its own data lines. More of them give more bandwidth.");
  f.add("bank_groups", c.bank_groups, count(1, 64),
        "Bank groups per pseudo channel. Commands to different groups need less time between them than commands to one "
        "group.");
  f.add(
      "banks_per_group", c.banks_per_group, count(1, 64),
      "Banks per bank group. With more banks, more rows are open at a time and fewer accesses find a wrong row open.");
  f.add("bus_bits", c.bus_bits, count(8, 4096), "Data lines of one pseudo channel. More of them give more bandwidth.");
  f.add("burst", c.burst, count(1, 64),
        "Transfers (beats) per column command. bus_bits x burst is the size of one sector.");
  f.add("beats_per_clock", c.beats_per_clock, count(1, 32),
        "Transfers per cycle of the command clock on each data line: HBM2 2, HBM3 4, GDDR5 4, GDDR6 8.");
  f.add("row_bytes", c.row_bytes, bytes(64, kMiB),
        "Bytes in the row buffer of one bank of a pseudo channel. With longer rows, neighbouring accesses hit an open "
        "row more often.");
  f.add("map", c.map, one_of({"row_bank_column", "row_column_bank", "row_column_bank_line"}),
        "The order of row, bank and column in an address, highest part first. It decides whether neighbouring lines "
        "share a row or lie in different banks. row_column_bank_line: neighbouring lines of a slice alternate between "
        "its pseudo channels, then between two bank groups; a bank holds two such lines before the next bank follows.");
}

void describe_controller(FieldList& f, DramConfig& c) {
  f.add("latency", c.latency, time(Domain::l2, 0, 10'000),
        "Time in L2 cycles or nanoseconds that the memory controller and wires add to an access, both ways together. "
        "It comes on top of the DRAM timings and is part of the latency of an L2 miss.");
  f.add("fixed_latency", c.fixed_latency, cycles(1, 100'000),
        "Cycles of clock.dram of every access if memory.dram.model is fixed. If it is tlm, the cycles that an access "
        "takes to the socket; what the memory behind the socket takes is added.");
  f.add("scheduler", c.scheduler, plugin(), "The policy that chooses the request that a channel serves next.");
  f.add("row_policy", c.row_policy, plugin(),
        "What happens to a row after an access. open: it stays open for later accesses; closed: it is closed as soon "
        "as no queued access needs it.");
  f.add("queue", c.queue, count(1, 65536),
        "Reads per pseudo channel among which the scheduler chooses. A longer queue gives more row hits.");
  f.add("write_queue", c.write_queue, count(1, 65536),
        "Writes that can wait per pseudo channel. A longer queue gives fewer and longer phases of writing.");
  f.add("write_high", c.write_high, count(1, 65536),
        "Number of queued writes at which a pseudo channel switches from reading to writing.");
  f.add("write_low", c.write_low, count(0, 65536),
        "Number of queued writes at which a pseudo channel switches back to reading.");
  f.optional(
      "write_stay", c.write_stay, cycles(0, 100'000),
      "Least number of clock.dram cycles of a phase of writing. With a larger value reads wait longer, and fewer "
      "cycles are lost by switching.");
  f.add("starvation_limit", c.starvation_limit, cycles(1, 1'000'000),
        "Cycles of clock.dram after which a waiting request is served before younger row hits.");
  f.optional(
      "ecc", c.ecc, one_of({"none", "inline"}),
      "Where error-correction bits are stored. none: nowhere, or on data lines of their own as in HBM; inline: in "
      "the same memory, which costs one more burst per access and so bandwidth.");
  f.optional(
      "check_span", c.check_span, bytes(0, kMiB),
      "With inline ECC: bytes of a channel whose check bits one burst holds. Each burst that is read and each line "
      "that is written moves its check bits, unless an access of the same span waits, which brings them for both. "
      "With a larger span, neighbouring accesses move fewer bytes. A multiple of `memory.l2.line`; 0: one burst of "
      "check bits for each access.");
}

void describe_timings(FieldList& f, DramConfig& c) {
  const Spec timing = time(Domain::dram, 0, 100'000);
  f.add("refresh", c.refresh, plugin(),
        "What a refresh blocks: one bank at a time (per_bank), two banks of neighbouring bank groups, the same in all "
        "channels at nearly the same time (bank_pairs), all banks of a channel (all_bank), or nothing (none).");
  f.optional(
      "refresh_skew", c.refresh_skew, timing,
      "With refresh = bank_pairs: the first half of the channels begins the refresh of the same pair of banks within "
      "this time; the second half begins tREFI / banks later. Pseudo channels of one channel begin together. A larger "
      "value makes fewer lines wait together.");
  f.add("tCL", c.tCL, timing, "Time from a read command to its data. Part of the latency of every read.");
  f.add("tCWL", c.tCWL, timing, "Time from a write command to its data.");
  f.add("tRCD", c.tRCD, timing,
        "Time from the activation of a row to a column command on it. Part of the latency of every access that finds "
        "its row closed.");
  f.add("tRP", c.tRP, timing,
        "Time of a precharge, which closes a row. Part of the latency of every access that finds another row open.");
  f.add("tRAS", c.tRAS, timing, "Least time from the activation of a row to its precharge.");
  f.add("tRC", c.tRC, timing,
        "Least time between two activations of one bank. Limits the rate of random accesses to one bank.");
  f.add("tWR", c.tWR, timing, "Least time from the end of write data to a precharge.");
  f.add("tRTP", c.tRTP, timing, "Least time from a read command to a precharge.");
  f.add("tCCDS", c.tCCDS, time(Domain::dram, 1, 1000),
        "Time between column commands to different bank groups. burst / beats_per_clock cycles keep the data lines "
        "busy; a longer time lowers the bandwidth.");
  f.add("tCCDL", c.tCCDL, time(Domain::dram, 1, 1000), "Time between column commands to one bank group.");
  f.add("tRRDS", c.tRRDS, timing, "Time between activations in different bank groups.");
  f.add("tRRDL", c.tRRDL, timing, "Time between activations in one bank group.");
  f.add("tWTRS", c.tWTRS, timing, "Time from the end of write data to a read command in another bank group.");
  f.add("tWTRL", c.tWTRL, timing, "Time from the end of write data to a read command in the same bank group.");
  f.add("tFAW", c.tFAW, timing,
        "Length of a time window in which at most four rows can be activated. Limits the rate of random accesses to "
        "all banks.");
  f.add("tRFC", c.tRFC, timing, "Time of a refresh of all banks, for which the channel is blocked.");
  f.add("tRFCpb", c.tRFCpb, timing, "Time of a refresh of one bank, for which the bank is blocked.");
  f.add("tREFI", c.tREFI, time(Domain::dram, 0, 10'000'000),
        "Time between two refreshes of the same bank; 0: never. tRFC / tREFI is the share of time that refreshes of "
        "all banks take.");
}

}  // namespace

void describe(FieldList& f, DramConfig& c) {
  f.add(
      "model", c.model, plugin(),
      "Whether banks, rows and commands are simulated (ddr), every access takes fixed_latency (fixed), or a memory of "
      "a SystemC platform answers, through a TLM-2.0 socket for each channel (tlm; docs/tlm.md).");
  f.add("type", c.type, text(), "The kind of memory, for human readers only.");
  describe_shape(f, c);
  describe_controller(f, c);
  describe_timings(f, c);
}

}  // namespace sassim::config
