// SPDX-License-Identifier: Apache-2.0
// The keys of the SM as a whole, its parts and its occupancy (sm, sm.occupancy): limits, unit and meaning of each
// (field.h).
#include "sim/config/describe.h"

namespace sassim::config {

void describe(FieldList& f, Sm& c) {
  f.add("count", c.count, count(1, 1024), "SMs of the chip that are enabled. Throughput grows with them.");
  f.add("processing_blocks", c.processing_blocks, count(1, 8),
        "Processing blocks of an SM, each with its own scheduler. Warp n belongs to processing block n modulo this.");
  f.group("occupancy", c.occupancy,
          "Limits on the thread blocks and warps of an SM, and the times at which they start.");
  f.group("front_end", c.front_end, "Instruction fetch and decode.");
  f.group("issue", c.issue, "Choice of the warp that issues, and timing of branches.");
  f.group("register_file", c.register_file, "Operand banks and the reuse cache.");
  f.group("pipes", c.pipes, "Pipes, and the timing of each op class.");
  f.group("constant", c.constant, "Constant caches.");
  f.group("memory_io", c.memory_io, "The path of memory instructions out of a processing block, and fences.");
  f.group("shared", c.shared, "Shared memory.");
  f.group("l1", c.l1, "The L1 data cache, which shares one array with shared memory.");
  f.group("tlb", c.tlb, "First-level TLB of an SM, between its L1 and the L2.");
  f.add(
      "tlb_scope", c.tlb_scope, one_of({"launch", "program", "single_pass"}),
      "How long the TLBs of an SM keep translations. launch: until the launch ends; the next launch starts with empty "
      "TLBs. program: until the program ends; a launch starts with the pages that earlier launches used on any SM, and "
      "only the first launch that uses a page waits for its translation. If caches start cold, program makes every "
      "page known, as in the later passes of a profiler; single_pass does not, as in a profile of a single pass, and "
      "is otherwise like program.");
  f.option("gpc_tlb",
           "A TLB between the first level and the chip's last level. In the model each SM has one of its own; in the "
           "hardware the SMs of a GPC share it. none: misses of the first level go to memory.l2_tlb.",
           [&] { describe(f, c.gpc_tlb); });
  f.add("virtual_config", c.virtual_config, mask(0xffff'ffff),
        "Value of the special register SR_VIRTCFG, which code from compute capability 9.0 on reads as %nwarpid. It "
        "changes only programs that read it.");
}

namespace {

void describe_block_starts(FieldList& f, Occupancy& c) {
  f.add("block_replacement_delay", c.block_replacement_delay, time(Domain::sm, 0, 100'000),
        "SM cycles from the end of a thread block to the placement of the block that replaces it, beyond the time that "
        "the end waits to be registered (launch.block_retire_interval). Its warp slots are empty meanwhile, so that "
        "grids of many short blocks lose most. Measured with blocks that write the clock at "
        "their start and end.");
  f.add("warp_interval", c.warp_interval, cycles(0, 1000),
        "SM cycles from the placement of a warp on an SM to that of the next one, of the same thread block or another; "
        "0: all warps of a block at once. Until its placement a warp does not count as active.");
  f.add("warp_start", c.warp_start, cycles(0, 10'000),
        "SM cycles from the placement of a warp to its first fetch. The warp counts as active meanwhile.");
}

}  // namespace

void describe(FieldList& f, Occupancy& c) {
  f.add("warps", c.warps, count(1, 256), "Most resident warps per SM. More warps hide more latency.");
  f.add("blocks", c.blocks, count(1, 256),
        "Most resident thread blocks per SM. With a higher limit, kernels with small blocks reach a higher occupancy.");
  f.add("threads", c.threads, count(32, 8192), "Most resident threads per SM.");
  f.add("registers", c.registers, count(1024, 1u << 20),
        "Registers of 32 bits per SM. With more registers, kernels that use many per thread reach a higher occupancy.");
  f.add("register_unit", c.register_unit, count(1, 4096),
        "Allocation unit of registers: each warp gets a multiple of this.");
  f.add("warp_unit", c.warp_unit, count(1, 64),
        "The number of warps that have registers is rounded down to a multiple of this: each processing block holds "
        "the same number.");
  f.add("shared_unit", c.shared_unit, bytes(1, 65536),
        "Allocation unit of shared memory in bytes: each thread block gets a multiple of this.");
  f.add("shared_reserved", c.shared_reserved, bytes(0, 65536),
        "Bytes of shared memory that the system takes in addition for each thread block.");
  f.add("shared_per_block", c.shared_per_block, bytes(0, 16 * kMiB),
        "Most shared memory that one thread block can have, in bytes.");
  f.add("carveouts", c.carveouts, bytes(0, 16 * kMiB),
        "Sizes that shared memory can have, rising. The rest of sm.l1.size is the L1.");
  f.add("carveout_room", c.carveout_room, count(1, 16),
        "The driver chooses a carve-out for this many times the thread blocks that fit at the same time, up to the "
        "most that an SM can hold. A larger value leaves a smaller L1.");
  describe_block_starts(f, c);
}

}  // namespace sassim::config
