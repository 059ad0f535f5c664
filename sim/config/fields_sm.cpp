// SPDX-License-Identifier: Apache-2.0
// Keys of the SM as a whole: its parts and its occupancy limits.
#include "sim/config/describe.h"

namespace sassim::config {

void describe(FieldList& f, Sm& c) {
  f.add("count", c.count, count(1, 1024), "SMs on the chip that are switched on.");
  f.add("processing_blocks", c.processing_blocks, count(1, 8),
        "Processing blocks (sub-cores) of an SM, each with a scheduler; a warp belongs to its number modulo this.");
  f.group("occupancy", c.occupancy, "What decides how many thread blocks fit an SM, and when they start.");
  f.group("front_end", c.front_end, "Instruction fetch and decode.");
  f.group("issue", c.issue, "Choice of the next instruction, and what branches cost.");
  f.group("register_file", c.register_file, "Operand banks and the reuse cache.");
  f.group("pipes", c.pipes, "Execution units, and the timing of each class of instruction.");
  f.group("constant", c.constant, "Constant caches.");
  f.group("memory_io", c.memory_io, "The way of memory instructions out of a processing block, and fences.");
  f.group("shared", c.shared, "Shared memory.");
  f.group("l1", c.l1, "The L1 data cache, in one array with shared memory.");
  f.group("tlb", c.tlb, "First-level TLB of an SM, between its L1 and the L2.");
  f.option(
      "gpc_tlb",
      "A TLB between the first level and the chip's. Each SM has all its entries to itself here, though the hardware "
      "shares it in a GPC. none: what misses in the first level goes to memory.l2_tlb.",
      [&] { describe(f, c.gpc_tlb); });
  f.add("virtual_config", c.virtual_config, mask(0xffff'ffff),
        "What the special register SR_VIRTCFG holds, which code from compute capability 9.0 on reads as %nwarpid. Only "
        "programs that read it see a difference.");
}

namespace {

void describe_block_starts(FieldList& f, Occupancy& c) {
  f.add("block_replacement_delay", c.block_replacement_delay, cycles(0, 100'000),
        "SM cycles from the end of a thread block to the placement of the next one in its place. The place is empty "
        "meanwhile: grids of many short blocks lose most. Measured by blocks that write the clock at their start and "
        "end.");
  f.add("warp_start", c.warp_start, cycles(0, 10'000),
        "SM cycles from a warp's placement to its first fetch. The warp counts as active meanwhile.");
  f.add("block_launch_interval", c.block_launch_interval, cycles(0, 100'000),
        "SM cycles between the placements of two of the first blocks on one SM. The last blocks of a full SM start "
        "later by "
        "this times their number.");
  f.add("warp_launch_interval", c.warp_launch_interval, cycles(0, 10'000),
        "SM cycles that each warp of a placed block adds to block_launch_interval.");
  f.add("block_refill_interval", c.block_refill_interval, cycles(0, 100'000),
        "SM cycles between two placements on one SM that replace ended blocks. It limits how many very short blocks an "
        "SM "
        "can run.");
  f.add("warp_refill_interval", c.warp_refill_interval, cycles(0, 10'000),
        "SM cycles that each warp of the placed block adds to block_refill_interval.");
}

}  // namespace

void describe(FieldList& f, Occupancy& c) {
  f.add("warps", c.warps, count(1, 256), "Most resident warps per SM. More of them hide more latency.");
  f.add("blocks", c.blocks, count(1, 256), "Most resident thread blocks per SM.");
  f.add("threads", c.threads, count(32, 8192), "Most resident threads per SM.");
  f.add("registers", c.registers, count(1024, 1u << 20), "Registers of 32 bits per SM.");
  f.add("register_unit", c.register_unit, count(1, 4096), "Registers are allocated per warp in multiples of this.");
  f.add("warp_unit", c.warp_unit, count(1, 64),
        "Registers are there for a multiple of this many warps: as many in each processing block.");
  f.add("shared_unit", c.shared_unit, bytes(1, 65536), "Shared memory is allocated per block in multiples of this.");
  f.add("shared_reserved", c.shared_reserved, bytes(0, 65536), "Shared memory that the system takes from each block.");
  f.add("shared_per_block", c.shared_per_block, bytes(0, 16 * kMiB), "Most shared memory that one block can have.");
  f.add("carveouts", c.carveouts, bytes(0, 16 * kMiB),
        "The sizes that shared memory can have, rising; the rest of sm.l1.size is L1.");
  f.add(
      "carveout_room", c.carveout_room, count(1, 16),
      "The driver chooses a carve-out that would hold this many times the blocks that fit, as far as an SM takes them. "
      "A larger value leaves less L1.");
  describe_block_starts(f, c);
}

}  // namespace sassim::config
