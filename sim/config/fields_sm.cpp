// SPDX-License-Identifier: Apache-2.0
// Keys of the SM, but for its arithmetic pipes.
#include "sim/config/describe.h"

namespace sassim::config {

void describe(FieldList& f, Sm& c) {
  f.add("count", c.count, count(1, 1024), "SMs on the chip");
  f.add("processing_blocks", c.processing_blocks, count(1, 8),
        "processing blocks of an SM; a warp belongs to its id modulo this");
  f.group("occupancy", c.occupancy, "what decides how many thread blocks fit an SM");
  f.group("front_end", c.front_end, "instruction fetch and decode");
  f.group("issue", c.issue, "choice of the next instruction");
  f.group("register_file", c.register_file, "operand banks and the reuse cache");
  f.group("pipes", c.pipes, "execution units, and the timing of each class of instruction");
  f.group("constant", c.constant, "constant caches");
  f.group("memory_io", c.memory_io, "the way of memory instructions out of a processing block");
  f.group("shared", c.shared, "shared memory");
  f.group("l1", c.l1, "the combined L1 data cache and shared memory");
  f.group("tlb", c.tlb, "first-level TLB, on the way from the L1 to the L2");
  f.group("gpc_tlb", c.gpc_tlb,
          "TLB of the SM's GPC, behind the first level; of its entries each SM has its own; 0: none");
}

void describe(FieldList& f, Occupancy& c) {
  f.add("warps", c.warps, count(1, 256), "resident warps per SM");
  f.add("blocks", c.blocks, count(1, 256), "resident thread blocks per SM");
  f.add("threads", c.threads, count(32, 8192), "resident threads per SM");
  f.add("registers", c.registers, count(1024, 1u << 20), "32-bit registers per SM");
  f.add("register_unit", c.register_unit, count(1, 4096), "registers are allocated per warp in multiples of this");
  f.add("warp_unit", c.warp_unit, count(1, 64),
        "registers are there for a multiple of this many warps: one in each processing block");
  f.add("shared_unit", c.shared_unit, bytes(1, 65536), "shared memory is allocated per block in multiples of this");
  f.add("shared_reserved", c.shared_reserved, bytes(0, 65536), "shared memory that the system takes per block");
  f.add("shared_per_block", c.shared_per_block, bytes(0, 16 * kMiB), "most shared memory that one block can have");
  f.add("carveouts", c.carveouts, bytes(0, 16 * kMiB), "the sizes that shared memory can have, rising; L1 is the rest");
  f.add("carveout_room", c.carveout_room, count(1, 16),
        "the carve-out that the driver chooses holds so many times the blocks that fit, as far as an SM takes them");
  f.add("block_replacement_delay", c.block_replacement_delay, cycles(0, 100'000),
        "SM cycles from a block's end to the placement of the next in its place");
  f.add("warp_start", c.warp_start, cycles(0, 10'000),
        "SM cycles from a warp's placement to its first fetch; the warp is active meanwhile");
  f.add("block_launch_interval", c.block_launch_interval, cycles(0, 100'000),
        "SM cycles between two block placements on one SM");
  f.add("warp_launch_interval", c.warp_launch_interval, cycles(0, 10'000),
        "SM cycles more for every warp of the block that was placed");
  f.add("block_refill_interval", c.block_refill_interval, cycles(0, 100'000),
        "SM cycles between two placements on one SM that replace ended blocks");
  f.add("warp_refill_interval", c.warp_refill_interval, cycles(0, 10'000),
        "SM cycles more for every warp of the block that was placed");
}

void describe(FieldList& f, FrontEnd& c) {
  f.group("l0", c.l0, "instruction cache of a processing block");
  f.group("l1", c.l1, "instruction cache of the SM, also the L1.5 constant cache");
  f.add("instruction_buffer", c.instruction_buffer, count(1, 64), "decoded instructions that wait per warp");
  f.add("fetch_width", c.fetch_width, count(1, 4), "instructions, next to each other, that one fetch brings");
  f.add("prefetch_entries", c.prefetch_entries, count(0, 1024),
        "lines in the L0's stream buffer; 0 turns prefetching off");
  f.add("decode_latency", c.decode_latency, cycles(0, 100), "SM cycles in decode");
  f.add("l0_latency", c.l0_latency, cycles(0, 100), "SM cycles of a fetch that hits in the L0");
  f.add("l1_latency", c.l1_latency, cycles(1, 10'000),
        "SM cycles from an L0 miss to the instruction when the L1 has it");
  f.add("l0_shared", c.l0_shared, flag(),
        "a line that one processing block has fetched is in the L0 of the others too");
  f.add("fill_cycles", c.fill_cycles, cycles(0, 1000),
        "SM cycles that 128 bytes take from the L1 to the L0 of one processing block");
  f.add("constant_delay", c.constant_delay, cycles(0, 10'000),
        "SM cycles that a constant which the L1.5 lacks takes longer than code");
  f.add("l1_lookup", c.l1_lookup, cycles(0, 10'000),
        "SM cycles of an L1 hit's latency, for code and constants, that what comes from the L2 does not take again");
  f.add("l1_pending_requests", c.l1_pending_requests, count(1, 1024),
        "128-byte lines that the L1 may have asked the L2 for");
  f.add("l1_pending_release", c.l1_pending_release, cycles(0, 10'000),
        "cycles from the coming of such a line until another may be asked for in its place");
  f.add("constant_interval", c.constant_interval, cycles(1, 1000),
        "SM cycles that a constant's line keeps the L1 from its next lookup");
  f.add("constant_sharers", c.constant_sharers, count(1, 1024),
        "SMs that take turns with these lookups when all have warps; 1: every SM has its own");
  f.add("constant_skew", c.constant_skew, cycles(0, 1000),
        "SM cycles by which the first lines that a pair of these SMs asks for come after those of the pair before");
  f.add("perfect", c.perfect, flag(), "every fetch hits in the L0");
}

void describe(FieldList& f, Issue& c) {
  f.add("scheduler", c.scheduler, plugin(), "which eligible warp issues");
  f.add("constant_miss_switch", c.constant_miss_switch, cycles(0, 1000),
        "SM cycles that a missing constant operand holds the scheduler before another warp is tried");
  f.add("dependence", c.dependence, one_of({"control_bits", "scoreboard"}),
        "what makes an instruction wait for its operands: the compiler's control bits, or hardware scoreboards");
  f.add("stall_quirks", c.stall_quirks, flag(),
        "large stalls without yield, and stall 0 with yield, act as on hardware");
  f.add("yield_interval", c.yield_interval, cycles(1, 15),
        "SM cycles from an instruction with the yield flag to the warp's next one, at least");
  f.add("branch_latency", c.branch_latency, cycles(0, 1000),
        "SM cycles from a taken branch's issue to the fetch of its target");
  f.add("indirect_latency", c.indirect_latency, cycles(0, 1000),
        "the same for a target in a register, as of a return; 0: no difference");
  f.add("indirect_interval", c.indirect_interval, cycles(0, 1000),
        "SM cycles from one branch to a target in a register to the SM's next");
  f.add("sync_latency", c.sync_latency, cycles(0, 1000),
        "SM cycles from the issue of BSYNC to the fetch of what follows; 0: fetch goes on meanwhile");
  f.add("give_way_latency", c.give_way_latency, cycles(0, 1000),
        "SM cycles until threads that have yielded (YIELD) are fetched for again, when their turn comes; 0: at once");
  f.add("warp_sync_latency", c.warp_sync_latency, cycles(0, 1000),
        "SM cycles that a WARPSYNC on a register takes for each of its threads' different masks");
  f.add("warp_sync_interval", c.warp_sync_interval, cycles(1, 1000), "SM cycles from one such mask to the SM's next");
  f.add("warp_join_latency", c.warp_join_latency, cycles(0, 1000),
        "SM cycles from the WARPSYNC.ALL of all threads to what follows, where they came to it in groups; 0: none");
  f.add("warp_join_interval", c.warp_join_interval, cycles(1, 1000), "SM cycles from one such to the SM's next");
}

void describe(FieldList& f, RegisterFile& c) {
  f.add("banks", c.banks, count(1, 16), "banks per processing block; a register's is its number modulo this");
  f.add("read_ports", c.read_ports, count(1, 8), "32-lane operands that a bank delivers per cycle");
  f.add("read_window", c.read_window, cycles(1, 16),
        "SM cycles in which a fixed-latency instruction reads its operands");
  f.add("reuse_cache", c.reuse_cache, flag(), "whether the reuse bits of the encoding save register reads");
  f.add("reuse_lost_on_switch", c.reuse_lost_on_switch, flag(),
        "an instruction of another warp empties the reuse cache");
  f.add("reuse_after_yield", c.reuse_after_yield, flag(),
        "whether the reuse bits of the instruction behind one that yields take effect");
  f.add("queued_reads", c.queued_reads, flag(),
        "special functions, shuffles, stores, loads but those of shared memory take read ports from what follows");
}

void describe(FieldList& f, ConstantCaches& c) {
  f.group("fixed", c.fixed, "first-level cache of the c[bank][offset] operands of fixed-latency instructions");
  f.group("indexed", c.indexed, "first-level cache of constants that ULDC reads through a register");
  f.group("variable", c.variable, "first-level cache of LDC");
  f.add("fixed_miss_latency", c.fixed_miss_latency, cycles(1, 10'000),
        "SM cycles that a fixed-latency operand waits when only the L1.5 has it");
  f.add("ldc_latency", c.ldc_latency, cycles(1, 10'000), "SM cycles of an LDC that hits in its first-level cache");
  f.add("ldc_pass", c.ldc_pass, cycles(0, 10'000), "SM cycles per further distinct word of one LDC");
  f.add("ldc_interval", c.ldc_interval, cycles(1, 10'000),
        "SM cycles that every 8 bytes of an LDC keep its first-level cache from the next LDC");
  f.add("ldc_uniform", c.ldc_uniform, cycles(0, 10'000),
        "part of ldc_latency that an LDC saves whose address does not come from vector registers");
  f.add("l15_latency", c.l15_latency, cycles(1, 10'000),
        "SM cycles of a constant load served by the L1.5 (front_end.l1)");
  f.add("ldc_ahead", c.ldc_ahead, count(0, 64),
        "LDCs in the queue of their cache, behind one that waits for a line, whose own missing lines are asked for "
        "meanwhile");
}

void describe(FieldList& f, MemoryIo& c) {
  f.add("queue", c.queue, count(1, 256), "memory instructions waiting per processing block, the input latch included");
  f.add("address_interval", c.address_interval, cycles(1, 64),
        "SM cycles per instruction in a processing block's address stage");
  f.add("accept_interval", c.accept_interval, cycles(1, 64),
        "SM cycles between two instructions that the SM's shared stage takes");
  f.add("pipeline", c.pipeline, cycles(0, 1000),
        "SM cycles from issue to the SM's shared stage when nothing else moves");
  f.add("vector_address", c.vector_address, cycles(0, 1000),
        "SM cycles added to global accesses whose address is in vector registers");
  f.add("vector_result", c.vector_result, cycles(0, 10'000),
        "part of a load's latency that a uniform address saves beyond vector_address");
  f.add("store_release", c.store_release, cycles(0, 10'000),
        "SM cycles from acceptance until a 32-bit store has read its data");
  f.add("store_vector_release", c.store_vector_release, cycles(0, 10'000),
        "SM cycles added to store_release when the address is in vector registers");
  f.add("store_bytes_per_cycle", c.store_bytes_per_cycle, bytes(4, 4096),
        "store data that leaves the register file per SM cycle");
  f.add("return_bytes_per_cycle", c.return_bytes_per_cycle, bytes(4, 4096),
        "load data that enters the register file per SM cycle; wide loads take longer by it");
  f.add("async_release", c.async_release, cycles(0, 10'000),
        "SM cycles from acceptance until an LDGSTS has read its addresses");
  f.add("texture_latency", c.texture_latency, cycles(0, 10'000),
        "SM cycles that an access through the texture unit takes beyond one that does not");
  f.add("filter_latency", c.filter_latency, cycles(0, 10'000),
        "SM cycles added to texture_latency where texels are found by coordinates");
  f.add("texture_queue", c.texture_queue, count(1, 1024), "instructions between the texture unit and the L1");
  f.add("async_latency", c.async_latency, cycles(0, 10'000), "SM cycles that an LDGSTS takes beyond a load that hits");
  f.add("stage_queue", c.stage_queue, count(1, 4096),
        "instructions that wait in front of the L1's tags, and cycles of data in front of its data stage");
  f.add("membar_cta", c.membar_cta, cycles(0, 1'000'000),
        "SM cycles of MEMBAR.CTA after all earlier accesses are done");
  f.add("membar_gpu", c.membar_gpu, cycles(0, 1'000'000),
        "SM cycles of MEMBAR.GPU after all earlier accesses are done");
  f.add("membar_sys", c.membar_sys, cycles(0, 1'000'000),
        "SM cycles of MEMBAR.SYS after all earlier accesses are done");
  f.add("membar_idle", c.membar_idle, cycles(0, 1'000'000),
        "SM cycles that MEMBAR.GPU takes to ask the L2 where the SM has stored nothing since its last one");
  f.add("membar_near", c.membar_near, cycles(0, 1'000'000),
        "SM cycles that MEMBAR.GPU and .SYS take to ask L2 slices to which the SM has stored since its last one");
  f.add("membar_far", c.membar_far, cycles(0, 1'000'000),
        "SM cycles that MEMBAR.GPU and .SYS take to ask L2 slices of the other half to which the SM has stored");
  f.add("membar_beyond", c.membar_beyond, cycles(0, 1'000'000),
        "SM cycles that MEMBAR.SYS takes to ask beyond the GPU, meanwhile");
}

void describe(FieldList& f, L1Config& c) {
  f.add("size", c.size, bytes(512, 64 * kMiB), "the whole array; shared memory is carved out of it");
  f.add("line", c.line, bytes(32, 1024), "bytes under one tag; a power of two");
  f.add("sector", c.sector, bytes(16, 1024), "bytes filled at a time; a power of two");
  f.add("sets", c.sets, count(1, 65536), "sets; the ways follow from the size that is left beside shared memory");
  f.add("set_hash", c.set_hash, one_of({"modulo", "mix", "banks"}),
        "how lines find their set: in turn, spread as by chance, so that some sets are full before others, or by the "
        "bank of the tags that looks them up, so that all sets are filled alike and strides reach them all");
  f.add("replacement", c.replacement, plugin(), "which line of a set goes");
  f.add("allocate", c.allocate, one_of({"fill", "miss"}),
        "when a line gets its place, and another one goes: when its data comes, or when it is asked for");
  f.add("hit_latency", c.hit_latency, cycles(1, 10'000),
        "SM cycles from a load's issue to a dependent instruction's, on a hit");
  f.add("bytes_per_cycle", c.bytes_per_cycle, bytes(4, 4096), "data stage, shared by L1 hits and shared memory");
  f.add("tags_per_cycle", c.tags_per_cycle, count(1, 64), "lines looked up per SM cycle");
  f.add("pending_requests", c.pending_requests, count(1, 65536), "lines that may be on their way from the L2");
  f.add("pending_sectors", c.pending_sectors, count(0, 1u << 20),
        "sectors that loads wait for at a time; 0: as many as the pending requests have");
  f.add("pending_merges", c.pending_merges, count(1, 65536), "instructions that may wait for one line");
  f.add("miss_queue", c.miss_queue, count(1, 65536), "requests that wait for the crossbar");
  f.add("set_aside", c.set_aside, count(0, 1024),
        "loads that wait beside the tag stage for such a place, and let others pass; 0: none passes");
  f.add("store_lines", c.store_lines, count(0, 1024),
        "lines in which stores to the same place gather on their way out; 0: each store leaves alone");
  f.add("store_hold", c.store_hold, cycles(0, 10'000), "SM cycles for which such a line waits for more, at least");
  f.add("store_interval", c.store_interval, cycles(0, 100),
        "cycles of the tag stage for each line of a store; 0: lines of one pass together, as loads");
  f.add("atomic_waves", c.atomic_waves, flag(),
        "whether lanes of an atomic on one word go to the L2 as separate requests, the others of the line with the "
        "first");
  f.add("atomic_reply", c.atomic_reply, cycles(0, 10'000),
        "SM cycles that an atomic which wants the old value takes on its way out of the L1, at least");
  f.add("miss_latency", c.miss_latency, cycles(0, 10'000), "SM cycles from the tag lookup to the crossbar's port");
  f.add("lines_save", c.lines_save, cycles(0, 10'000), "part of miss_latency that a load of several lines saves");
  f.add("fill_latency", c.fill_latency, cycles(0, 10'000),
        "SM cycles from a reply to the issue of a dependent instruction");
  f.add("write_policy", c.write_policy, one_of({"allocate", "no_allocate"}),
        "whether a store that misses takes a line; the L1 always writes through");
  f.add("detected_loss", c.detected_loss, bytes(0, kMiB), "part of the cache that a pointer chase finds unusable");
  f.add("perfect", c.perfect, flag(), "every load finds its data in the L1; stores and atomics go on as usual");
}

void describe(FieldList& f, SharedMemory& c) {
  f.add("banks", c.banks, count(1, 128), "banks");
  f.add("bank_width", c.bank_width, bytes(1, 64), "bytes that a bank delivers per cycle");
  f.add("bank_conflicts", c.bank_conflicts, flag(),
        "lanes that want different words of one bank take turns; also of L1 hits, which use the same array");
  f.add("bytes_per_cycle", c.bytes_per_cycle, bytes(4, 4096), "data stage, which L1 hits share");
  f.add("latency", c.latency, cycles(1, 10'000),
        "SM cycles from a load's issue to a dependent instruction's, without conflicts");
  f.add("pass_latency", c.pass_latency, cycles(0, 10'000), "SM cycles added to the latency per pass beyond the first");
  f.add("matrix_latency", c.matrix_latency, cycles(0, 10'000),
        "SM cycles added to an LDSM's latency per matrix beyond the first");
  f.add("atomic_hold", c.atomic_hold, cycles(0, 10'000),
        "SM cycles for which an atomic keeps its warp's next access out, with 1, 2, 4, 8, 16 and 32 lanes on one word; "
        "between these on a straight line");
  f.add("atomic_result", c.atomic_result, cycles(0, 10'000),
        "SM cycles that an atomic's result takes longer than a load's; further lanes add what they add to atomic_hold");
}

}  // namespace sassim::config
