// SPDX-License-Identifier: Apache-2.0
// Keys of fetch, issue, the register file and the constant caches.
#include "sim/config/describe.h"

namespace sassim::config {

void describe(FieldList& f, FrontEnd& c) {
  f.group("l0", c.l0, "Instruction cache of one processing block.");
  f.group("l1", c.l1, "Instruction cache of the SM behind the L0s; also its second-level (L1.5) constant cache.");
  f.add("instruction_buffer", c.instruction_buffer, count(1, 64),
        "Decoded instructions that wait per warp. Too few and a warp that issues every cycle runs out of them.");
  f.add(
      "fetch_width", c.fetch_width, count(1, 4),
      "Neighbouring instructions that one fetch brings. With 2 a warp refills its buffer behind a taken branch in half "
      "the time.");
  f.add(
      "prefetch_entries", c.prefetch_entries, count(0, 1024),
      "Lines in the stream buffer that runs ahead of an L0 miss; 0 turns prefetching off. More lines hide more of the "
      "L1's latency in straight code.");
  f.add("decode_latency", c.decode_latency, cycles(0, 100), "SM cycles from a fetched instruction to a decoded one.");
  f.add("l0_latency", c.l0_latency, cycles(0, 100), "SM cycles of a fetch that hits in the L0.");
  f.add("l1_latency", c.l1_latency, cycles(1, 10'000),
        "SM cycles from an L0 miss to the instruction when the L1 has the line. Every jump to code that the L0 lacks "
        "waits "
        "for it.");
  f.add("l0_shared", c.l0_shared, flag(),
        "Whether a line that one processing block has fetched is in the L0s of the other three too. If so, only the "
        "first "
        "block of an SM waits for new code.");
  f.add(
      "fill_cycles", c.fill_cycles, cycles(0, 1000),
      "SM cycles that 128 bytes take from the L1 to the L0 of one processing block: the inverse of the fetch bandwidth "
      "beyond the L0. Measured with straight code larger than the L0.");
  f.add("constant_delay", c.constant_delay, cycles(0, 10'000),
        "SM cycles that a constant takes longer than code to come from the L2 when the L1 (L1.5) lacks it.");
  f.add(
      "l1_lookup", c.l1_lookup, cycles(0, 10'000),
      "The part of l1_latency, and of sm.constant.l15_latency, that passes before the L1 knows that it lacks a line. A "
      "line from the L2 skips it on its way back, so that a miss takes the L2's time and the rest. A larger value "
      "makes "
      "misses cheaper against hits.");
  f.add(
      "l1_pending_requests", c.l1_pending_requests, count(1, 1024),
      "Lines of 128 bytes that the L1 may have outstanding at the L2. With the L2's latency it limits the bandwidth of "
      "code from there.");
  f.add("l1_pending_release", c.l1_pending_release, cycles(0, 10'000),
        "SM cycles from the arrival of such a line until its place can be used for another request. Lowers the "
        "bandwidth of "
        "code from the L2.");
  f.option(
      "gpc_constants",
      "The SMs of a GPC take turns to read constants that their first-level caches lack. When all SMs miss "
      "together, each gets a line only in its turn. none: every SM reads its own L1 without waiting for others.",
      [&] {
        f.add("interval", c.constant_interval, cycles(1, 1000),
              "SM cycles that one line of constants takes before the next can be looked up. Times `sharers` it is the "
              "time between two lines of one SM when all SMs miss.");
        f.add("sharers", c.constant_sharers, count(1, 1024),
              "SMs that take turns, as far as they have thread blocks; 1: each SM reads alone.");
        f.add("skew", c.constant_skew, cycles(0, 1000),
              "At a kernel's start the SMs ask in pairs, one pair after the other: SM cycles from the first request of "
              "one pair to that of the next. Spreads the starts of the first blocks.");
      });
  f.add("perfect", c.perfect, flag(), "Every fetch hits in the L0. For what-if studies.");
}

namespace {

void describe_divergence(FieldList& f, Issue& c) {
  f.option("indirect", "Branches to an address in a register (calls, returns, jump tables) cost more than direct ones.",
           [&] {
             f.add("latency", c.indirect_latency, cycles(0, 1000),
                   "SM cycles from such a branch's issue to the fetch of its target, in place of branch_latency.");
             f.add("interval", c.indirect_interval, cycles(0, 1000),
                   "SM cycles from one such branch to the next of any warp of the SM.");
           });
  f.add("sync_latency", c.sync_latency, cycles(0, 1000),
        "SM cycles from the issue of BSYNC, where diverged threads meet, to the fetch of what follows, whether or not "
        "any "
        "thread waits there; 0: fetch goes on meanwhile.");
  f.add("give_way_latency", c.give_way_latency, cycles(0, 1000),
        "SM cycles from the moment at which threads that gave way (YIELD) have their turn again to their first fetch. "
        "Spin "
        "loops of diverged threads take this much longer per round; 0: at once.");
  f.option("warp_sync", "WARPSYNC with a mask in a register handles the different masks of its threads one by one.",
           [&] {
             f.add("latency", c.warp_sync_latency, cycles(0, 1000), "SM cycles for each different mask.");
             f.add("interval", c.warp_sync_interval, cycles(1, 1000),
                   "SM cycles from one mask to the next, of all warps of the SM: the throughput.");
           });
  f.option("warp_join", "WARPSYNC.ALL joins threads of a warp that have come to it in several groups.", [&] {
    f.add("latency", c.warp_join_latency, cycles(0, 1000), "SM cycles from such a WARPSYNC to the next instruction.");
    f.add("interval", c.warp_join_interval, cycles(1, 1000),
          "SM cycles from one such WARPSYNC to the next, of all warps of the SM: the throughput.");
  });
  f.option("short_sleep",
           "NANOSLEEP ends with a clock that ticks every power of two nanoseconds above the time that is asked for. "
           "Short sleeps do not wait for that clock. none: all do.",
           [&] {
             f.add("below", c.short_sleep_below, count(1, 1'000'000),
                   "Nanoseconds: sleeps of less are short. With a larger value more of them take the same time.");
             f.add("takes", c.short_sleep_takes, count(1, 1'000'000),
                   "Nanoseconds that a short sleep takes, whatever was asked for. Threads that poll with a short sleep "
                   "look less often when it grows. Measured by a loop of sleeps.");
           });
}

}  // namespace

void describe(FieldList& f, Issue& c) {
  f.add("scheduler", c.scheduler, plugin(),
        "Which of the warps that can issue does so: greedy_youngest goes on with one warp, else takes the youngest; "
        "oldest_block goes on with one warp, else takes the next of the oldest thread block; oldest_block_youngest "
        "does as "
        "greedy_youngest among the warps of the oldest thread block; and others.");
  f.add(
      "constant_miss_switch", c.constant_miss_switch, cycles(0, 1000),
      "SM cycles for which a constant operand that misses holds the scheduler before it tries another warp. Each miss "
      "costs so many issue slots.");
  f.add("dependence", c.dependence, one_of({"control_bits", "scoreboard"}),
        "What makes an instruction wait for its operands: the control bits that the compiler wrote, or hardware "
        "scoreboards.");
  f.option("stall_quirks",
           "Stall counts that the hardware does not take as they are. none: every count is obeyed, with or without the "
           "yield flag.",
           [&] {
             f.add("yield_zero", c.quirk_yield, cycles(0, 255),
                   "SM cycles to the warp's next instruction for a stall count of 0 with the yield flag.");
             f.add("longest", c.quirk_longest, cycles(0, 15),
                   "The largest stall count that is obeyed without the yield flag.");
             f.add("beyond", c.quirk_stall, cycles(0, 15), "SM cycles for a larger count without the yield flag.");
           });
  f.add("yield_interval", c.yield_interval, cycles(1, 15),
        "SM cycles, at least, from an instruction with the yield flag to the next of the same warp. A single warp gets "
        "slower with it; with many warps others use the slots.");
  f.add("branch_latency", c.branch_latency, cycles(0, 1000),
        "SM cycles from a taken branch's issue to the fetch of its target. Loops of a single warp take that much "
        "longer per "
        "round.");
  describe_divergence(f, c);
}

void describe(FieldList& f, RegisterFile& c) {
  f.add("banks", c.banks, count(1, 16),
        "Banks per processing block; a register lies in the bank of its number modulo this. More banks: fewer "
        "conflicts.");
  f.add("read_ports", c.read_ports, count(1, 8), "Operands of 32 lanes that one bank delivers per cycle.");
  f.add("read_window", c.read_window, cycles(1, 16),
        "SM cycles in which a fixed-latency instruction reads its operands. A wider window leaves more time for "
        "operands of "
        "one bank, so that fewer conflicts delay the next instruction.");
  f.add("reuse_cache", c.reuse_cache, flag(),
        "Whether the reuse bits of the encoding save reads of the register file.");
  f.add("reuse_lost_on_switch", c.reuse_lost_on_switch, flag(),
        "Whether an instruction of another warp empties the reuse cache.");
  f.add("reuse_after_yield", c.reuse_after_yield, flag(),
        "Whether reuse bits take effect on the instruction behind one that yields.");
  f.option(
      "queued_reads",
      "Instructions that wait in a queue (special functions, shuffles, stores, loads except from shared memory) take "
      "read ports from the instructions behind them when they read their registers. none: they take none.",
      [&] {
        f.add("delay", c.queued_read_delay, cycles(0, 32),
              "SM cycles from the Allocate stage of such an instruction to its reads. It names the instruction that "
              "waits: the one that comes so many cycles later.");
      });
}

void describe(FieldList& f, ConstantCaches& c) {
  f.group("fixed", c.fixed, "First-level cache of the c[bank][offset] operands of fixed-latency instructions.");
  f.group("indexed", c.indexed, "First-level cache of constants that ULDC reads through a register.");
  f.group("variable", c.variable, "First-level cache of LDC.");
  f.add("fixed_miss_latency", c.fixed_miss_latency, cycles(1, 10'000),
        "SM cycles for which an instruction waits for a constant operand that only the L1.5 (front_end.l1) has. The "
        "first "
        "use of each line of parameters costs it.");
  f.add("ldc_latency", c.ldc_latency, cycles(1, 10'000),
        "SM cycles from an LDC that hits in its first-level cache to an instruction that needs the value.");
  f.add("ldc_pass", c.ldc_pass, cycles(0, 10'000),
        "SM cycles of latency that one LDC adds for each further distinct word among its lanes: they are read one by "
        "one.");
  f.add("ldc_interval", c.ldc_interval, cycles(1, 10'000),
        "SM cycles for which every 8 bytes of an LDC keep the cache from the next LDC: the inverse of its bandwidth.");
  f.add("ldc_uniform", c.ldc_uniform, cycles(0, 10'000),
        "The part of ldc_latency that an LDC saves whose address does not come from vector registers.");
  f.add("l15_latency", c.l15_latency, cycles(1, 10'000),
        "SM cycles of an LDC that misses in the first level and is served by the L1.5 (front_end.l1).");
  f.add("ldc_ahead", c.ldc_ahead, count(0, 64),
        "LDCs behind one that waits for a line whose own missing lines are asked for meanwhile. More of them overlap "
        "their misses; 0: lines come one instruction after the other.");
}

}  // namespace sassim::config
