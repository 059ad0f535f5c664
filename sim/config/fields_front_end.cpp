// SPDX-License-Identifier: Apache-2.0
// The keys of fetch, issue, the register file and the constant caches (sm.front_end, sm.issue and so on): limits, unit
// and meaning of each (field.h).
#include "sim/config/describe.h"

namespace sassim::config {

void describe(FieldList& f, FrontEnd& c) {
  f.group("l0", c.l0, "Instruction cache (L0) of one processing block.");
  f.group("l1", c.l1,
          "Instruction cache of the SM behind the L0s. It is also the SM's second-level (L1.5) constant cache.");
  f.add("instruction_buffer", c.instruction_buffer, count(1, 64),
        "Decoded instructions that wait for issue, per warp. If it is too short, a warp that issues every cycle runs "
        "out of instructions.");
  f.add("fetch_width", c.fetch_width, count(1, 4),
        "Neighbouring instructions that one fetch delivers. With 2, a warp refills its buffer after a taken branch in "
        "half the time.");
  f.add("prefetch_entries", c.prefetch_entries, count(0, 1024),
        "Lines of the stream buffer, which prefetches the lines behind an L0 miss; 0: no prefetch. More lines hide "
        "more of the L1's latency in straight code.");
  f.add("l0_latency", c.l0_latency, cycles(0, 100),
        "SM cycles from a fetch that hits in the L0 to the end of decoding.");
  f.add("l1_latency", c.l1_latency, cycles(1, 10'000),
        "SM cycles from an L0 miss to the instruction if the L1 has the line. Every jump to code outside of the L0 "
        "waits this long.");
  f.optional(
      "l0_shared", c.l0_shared, flag(),
      "Whether a line that one processing block fetches also enters the L0s of the other processing blocks. If so, "
      "only one processing block of an SM waits for new code.");
  f.add("fill_cycles", c.fill_cycles, cycles(0, 1000),
        "SM cycles in which 128 bytes of code move from the L1 to the L0 of one processing block: the inverse of the "
        "fetch bandwidth beyond the L0. Measured with straight code larger than the L0.");
  f.optional("constant_delay", c.constant_delay, cycles(0, 10'000),
             "SM cycles that a constant takes longer than code from the L2 to the SM, after a miss in the L1 (L1.5).");
  f.optional(
      "l1_lookup", c.l1_lookup, cycles(0, 10'000),
      "The part of l1_latency, and of sm.constant.l15_latency, that passes before the L1 finds a miss. A line from "
      "the L2 does not pass this part again. With a larger value, misses get cheaper compared with hits.");
  f.add("l1_pending_requests", c.l1_pending_requests, count(1, 1024),
        "Lines of 128 bytes that the L1 can have outstanding at the L2. Together with the L2's latency it limits the "
        "bandwidth of code from the L2.");
  f.option("gpc_constants",
           "The SMs of a GPC take turns to read constants that miss in their first-level caches. When all SMs miss "
           "together, each gets a line only in its turn. none: every SM reads its own L1 without waiting for others.",
           [&] {
             f.add("interval", c.gpc_constants.interval, cycles(1, 1000),
                   "SM cycles between the lookups of two lines of constants. Times `sharers`, it is the time between "
                   "two lines of one SM when all SMs miss.");
             f.add("sharers", c.gpc_constants.sharers, count(1, 1024),
                   "SMs that take turns, if they have thread blocks; 1: each SM reads alone. More sharers give each SM "
                   "less bandwidth.");
             f.add("skew", c.gpc_constants.skew, cycles(0, 1000),
                   "SM cycles from the first request of one pair of SMs to the first request of the next pair, at the "
                   "start of a kernel. A larger value spreads the starts of the first thread blocks.");
           });
  f.optional("perfect", c.perfect, flag(), "Every fetch hits in the L0. For what-if studies; no hardware does this.");
}

namespace {

void describe_divergence(FieldList& f, Issue& c) {
  f.option("indirect",
           "Branches to an address in a register (calls, returns, jump tables) have timing of their own. none: they "
           "take branch_latency like direct branches.",
           [&] {
             f.add("latency", c.indirect.latency, cycles(0, 1000),
                   "SM cycles from the issue of such a branch to the fetch of its target, instead of branch_latency.");
             f.add("interval", c.indirect.interval, cycles(0, 1000),
                   "SM cycles from one such branch to the next one of any warp of the SM. Limits the rate of calls and "
                   "returns.");
           });
  f.optional("sync_latency", c.sync_latency, cycles(0, 1000),
             "SM cycles from the issue of BSYNC, at which diverged threads reconverge, to the fetch of the next "
             "instruction, even if no thread waits; 0: fetch continues meanwhile.");
  f.optional(
      "give_way_latency", c.give_way_latency, cycles(0, 1000),
      "SM cycles until the first fetch of threads that waited in their warp's pool and get their turn: threads that "
      "yielded (YIELD), and threads that diverged before the last divergent branch. Each iteration of a spin loop of "
      "diverged threads, and each path of a switch beyond two, takes this much longer; 0: no delay.");
  f.option("warp_sync",
           "WARPSYNC with a mask in a register handles the different masks of its threads one after the other. none: "
           "the number of masks does not matter.",
           [&] {
             f.add("latency", c.warp_sync.latency, cycles(0, 1000), "SM cycles of latency for each different mask.");
             f.add("interval", c.warp_sync.interval, cycles(1, 1000),
                   "SM cycles from one mask to the next one of any warp of the SM: the inverse of the throughput.");
           });
  f.option(
      "warp_join",
      "WARPSYNC.ALL joins threads of a warp that reached it in several groups. none: the join takes no time.", [&] {
        f.add("latency", c.warp_join.latency, cycles(0, 1000),
              "SM cycles from such a WARPSYNC to the warp's next instruction.");
        f.add("interval", c.warp_join.interval, cycles(1, 1000),
              "SM cycles from one such WARPSYNC to the next one of any warp of the SM: the inverse of the throughput.");
      });
  f.optional(
      "threads_sleep", c.threads_sleep, flag(),
      "True: only the threads that execute NANOSLEEP sleep, and other threads of their warp run meanwhile. A thread "
      "that yields (YIELD) continues at once if the others of its warp sleep. It applies to live kernels and to traces "
      "of live runs. False: the warp sleeps.");
  f.option(
      "exit",
      "Cycles for which a warp that has ended is still counted as resident. They are a part of "
      "occupancy.block_replacement_delay and change no time, only what is counted; timelines do not show them. none: a "
      "warp ends with its last instruction and its last memory operation.",
      [&] {
        f.add(
            "resolve", c.exit.resolve, cycles(0, 100),
            "SM cycles that count as branch_resolving: EXIT is handled like a branch. With a larger value the average "
            "occupancy and this stall reason grow.");
        f.add("drain", c.exit.drain, cycles(0, 100),
              "SM cycles that count as drain, until the warp's place is given up. With a larger value the average "
              "occupancy and this stall reason grow.");
      });
}

}  // namespace

void describe(FieldList& f, Issue& c) {
  f.add("scheduler", c.scheduler, plugin(),
        "The policy that chooses among the warps that can issue. greedy_youngest: the warp that issued last, else the "
        "youngest one; oldest_block: the warp that issued last, else the next warp of the oldest thread block; "
        "oldest_block_youngest: the warp that issued last, else the youngest one of the oldest block; blocks_in_turn: "
        "the warp that issued last, else the youngest one of its block, else of the next block; and others.");
  f.optional("interval", c.interval, cycles(0, 16),
             "SM cycles from one issue of a scheduler to its next, if it cannot issue every cycle. With 2, as before "
             "Kepler, a processing block issues at most one instruction every second cycle, whatever its pipes accept; "
             "0: it can issue every cycle.");
  f.add("constant_miss_switch", c.constant_miss_switch, cycles(0, 1000),
        "SM cycles for which a miss of a constant operand keeps the scheduler from trying another warp. Each miss "
        "costs this many issue slots.");
  f.add("dependence", c.dependence, one_of({"control_bits", "scoreboard"}),
        "What makes an instruction wait for its operands: the control bits that the compiler wrote, or hardware "
        "scoreboards.");
  f.option("stall_quirks",
           "Stall counts that the hardware does not obey literally. none: it obeys every count, with or without the "
           "yield flag.",
           [&] {
             f.add("yield_zero", c.stall_quirks.yield_zero, cycles(0, 255),
                   "SM cycles to the warp's next instruction for a stall count of 0 with the yield flag.");
             f.add("longest", c.stall_quirks.longest, cycles(0, 15),
                   "The largest stall count that is obeyed without the yield flag.");
             f.add("beyond", c.stall_quirks.beyond, cycles(0, 15),
                   "SM cycles to the warp's next instruction for a larger stall count without the yield flag.");
           });
  f.add("yield_interval", c.yield_interval, cycles(1, 15),
        "Least number of SM cycles from an instruction with the yield flag to the warp's next instruction. A larger "
        "value slows a single warp; with many warps, others use the issue slots.");
  f.optional("pairs", c.pairs, flag(),
             "Whether a warp issues two neighbouring instructions in one cycle where the control bits of the first say "
             "so (a stall count of 0 without the yield flag). They need different pipes, and no more than one of the "
             "queues of sm.memory_io; two instructions of the FMA pipe need lanes beyond its first 32. A second "
             "instruction that cannot issue with the first issues later, alone.");
  f.add("branch_latency", c.branch_latency, cycles(0, 1000),
        "SM cycles from the issue of a taken branch to the fetch of its target. Each iteration of a loop of a single "
        "warp takes this much longer.");
  describe_divergence(f, c);
  f.optional(
      "full_warps", c.full_warps, flag(),
      "Executions of arithmetic and branches by a part of a warp's threads share the lanes that earlier executions of "
      "the same instruction left idle, as if warps never diverged; memory accesses and barriers stay as they are. For "
      "what-if studies of traces; a kernel that is executed live does not change.");
  f.optional(
      "instant", c.instant, flag(),
      "Results of arithmetic are ready in the next cycle: stall counts are 1 and the pipes have a latency of 1, with "
      "the throughput that they have. For what-if studies; no hardware does this.");
  f.optional(
      "open_barriers", c.open_barriers, flag(),
      "No warp waits at a barrier of its thread block. For what-if studies of traces; a kernel that is executed live "
      "does not change.");
}

void describe(FieldList& f, RegisterFile& c) {
  f.add("banks", c.banks, count(1, 16),
        "Banks of the register file of a processing block; register n is in bank n modulo this. More banks give fewer "
        "conflicts.");
  f.add("read_ports", c.read_ports, count(1, 8),
        "Operands of 32 lanes that one bank can deliver per cycle. More ports give fewer conflicts.");
  f.add("read_window", c.read_window, cycles(1, 16),
        "SM cycles in which a fixed-latency instruction reads its operands. With a wider window, operands in one bank "
        "conflict less often and delay the next instruction less.");
  f.add("reuse_cache", c.reuse_cache, flag(),
        "Whether operands that the control bits mark for reuse stay in a small cache, which saves reads of the "
        "register file.");
  f.add("reuse_lost_on_switch", c.reuse_lost_on_switch, flag(),
        "Whether an instruction of another warp empties the reuse cache.");
  f.add("reuse_after_yield", c.reuse_after_yield, flag(),
        "Whether reuse bits still apply to the instruction after one with the yield flag.");
  f.option(
      "queued_reads",
      "Instructions that wait in a queue (special functions, shuffles, stores, loads except from shared memory) "
      "read their registers late and then take read ports from later instructions. none: they take no ports.",
      [&] {
        f.add("delay", c.queued_reads.delay, cycles(0, 32),
              "SM cycles from the Allocate stage of an instruction that waits in a queue to its reads of registers. A "
              "later instruction that reads the same bank at that time waits.");
      });
}

void describe(FieldList& f, ConstantCaches& c) {
  f.group("fixed", c.fixed, "First-level cache for the c[bank][offset] operands of fixed-latency instructions.");
  f.group("indexed", c.indexed, "First-level cache for constants that ULDC reads at an address in a register.");
  f.group("variable", c.variable, "First-level cache for constants that LDC reads.");
  f.add("fixed_miss_latency", c.fixed_miss_latency, cycles(1, 10'000),
        "SM cycles for which an instruction waits for a constant operand that only the L1.5 (front_end.l1) has. The "
        "first use of each line of kernel parameters costs this time.");
  f.add("ldc_latency", c.ldc_latency, cycles(1, 10'000),
        "SM cycles from an LDC that hits in its first-level cache to an instruction that needs the value.");
  f.add("ldc_pass", c.ldc_pass, cycles(0, 10'000),
        "SM cycles of latency for each further distinct word among an LDC's lanes: the cache reads them one after the "
        "other.");
  f.add("ldc_interval", c.ldc_interval, cycles(1, 10'000),
        "SM cycles for which each 8 bytes of an LDC occupy the cache: the inverse of its bandwidth.");
  f.add("ldc_uniform", c.ldc_uniform, cycles(0, 10'000),
        "SM cycles of ldc_latency that an LDC saves if its address does not come from vector registers.");
  f.add("l15_latency", c.l15_latency, cycles(1, 10'000),
        "SM cycles of an LDC that misses in the first level and hits in the L1.5 (front_end.l1).");
  f.optional(
      "ldc_ahead", c.ldc_ahead, count(0, 64),
      "Most later LDCs whose lines are requested while an earlier LDC waits for its line. With a larger value more "
      "misses overlap; 0: an LDC requests its line only after all earlier LDCs have theirs.");
  f.optional(
      "perfect", c.perfect, flag(),
      "Constant operands of arithmetic are always in the first-level cache. For what-if studies; no hardware does "
      "this.");
}

}  // namespace sassim::config
