// SPDX-License-Identifier: Apache-2.0
// Keys of the path from a processing block to the caches, of the L1 and of shared memory.
#include "sim/config/describe.h"

namespace sassim::config {

namespace {

void describe_fences(FieldList& f, MemoryIo& c) {
  f.add("membar_cta", c.membar_cta, cycles(0, 1'000'000),
        "SM cycles of MEMBAR.CTA (__threadfence_block) after all earlier accesses of the warp are done.");
  f.add("membar_gpu", c.membar_gpu, cycles(0, 1'000'000),
        "SM cycles of MEMBAR.GPU (__threadfence) after all earlier accesses of the warp are done.");
  f.add("membar_sys", c.membar_sys, cycles(0, 1'000'000),
        "SM cycles of MEMBAR.SYS (__threadfence_system) after all earlier accesses of the warp are done.");
  f.option(
      "membar_l2",
      "A fence asks the L2 whether the SM's stores have arrived, before membar_gpu or membar_sys pass. How long that "
      "takes depends on where the SM has stored since its last fence. none: fences do not depend on it.",
      [&] {
        f.add("idle", c.membar_idle, cycles(0, 1'000'000), "SM cycles when the SM has stored nothing.");
        f.add("near", c.membar_near, cycles(0, 1'000'000),
              "SM cycles when it has stored to slices of its own half of the chip.");
        f.add("far", c.membar_far, cycles(0, 1'000'000), "SM cycles when it has stored to slices of the other half.");
        f.add("host", c.membar_beyond, cycles(0, 1'000'000),
              "SM cycles that MEMBAR.SYS takes to ask beyond the GPU, at the same time: the longer of the two counts.");
      });
}

void describe_stores(FieldList& f, MemoryIo& c) {
  f.add(
      "store_release", c.store_release, cycles(0, 10'000),
      "SM cycles from acceptance by the shared stage until a 32-bit store has read its data. Until then an instruction "
      "that overwrites the data's register waits.");
  f.add("store_vector_release", c.store_vector_release, cycles(0, 10'000),
        "SM cycles that an address in vector registers adds to store_release.");
  f.add("store_bytes_per_cycle", c.store_bytes_per_cycle, bytes(4, 4096),
        "Bytes of store data that leave the register file per SM cycle. Wide stores hold their registers for longer.");
}

void describe_groups_of_copies(FieldList& f, MemoryIo& c) {
  f.add("async_group_latency", c.async_group_latency, cycles(1, 10'000),
        "SM cycles from LDGDEPBAR, which closes a group of LDGSTS, to the release of its counter when no copy is in "
        "flight. Measured by a loop of empty groups.");
  f.add("async_group_tail", c.async_group_tail, cycles(0, 10'000),
        "SM cycles from the end of a group's last copy to the release of LDGDEPBAR's counter.");
  f.add("barrier_wake", c.barrier_wake, cycles(1, 10'000),
        "SM cycles from the last arrival at an mbarrier (a barrier in shared memory) to the result of a try_wait that "
        "waits for it. An instruction arrives memory_io.pipeline after it issued, a copy when it has been written.");
  f.add("barrier_serial", c.barrier_serial, cycles(0, 10'000),
        "SM cycles for each further mbarrier that the threads of one instruction name.");
}

void describe_textures(FieldList& f, MemoryIo& c) {
  f.add("texture_latency", c.texture_latency, cycles(0, 10'000),
        "SM cycles that an access through the texture unit takes longer than a load.");
  f.add("filter_latency", c.filter_latency, cycles(0, 10'000),
        "SM cycles added to texture_latency where texels are found by coordinates and filtered.");
  f.add("texture_queue", c.texture_queue, count(1, 1024),
        "Instructions that may be in flight between the texture unit and the L1.");
  f.add(
      "texture_lanes", c.texture_lanes, count(1, 32),
      "Lanes whose texels the texture unit finds in one step: of samples with coordinates and a filter, and of texels "
      "of more than 8 bytes. More lanes: a higher rate.");
  f.add("texture_narrow_lanes", c.texture_narrow_lanes, count(1, 32),
        "The same for texels of at most 8 bytes without a filter: surfaces, and TLD of up to two channels.");
}

}  // namespace

void describe(FieldList& f, MemoryIo& c) {
  f.add(
      "queue", c.queue, count(1, 256),
      "Memory instructions that may wait per processing block, the input latch included. When it is full, warps stall "
      "with lg_throttle or mio_throttle.");
  f.add("address_interval", c.address_interval, cycles(1, 64),
        "SM cycles that one instruction takes in the address stage of a processing block.");
  f.add("accept_interval", c.accept_interval, cycles(1, 64),
        "SM cycles between two instructions that the stage shared by the SM takes from all processing blocks: the rate "
        "of "
        "memory instructions of an SM.");
  f.add("pipeline", c.pipeline, cycles(0, 1000),
        "SM cycles from issue to the SM's shared stage when nothing else moves. It is part of the latencies of caches "
        "and "
        "shared memory.");
  f.add("vector_address", c.vector_address, cycles(0, 1000),
        "SM cycles added to global accesses whose address is in vector registers and not in uniform ones.");
  f.add("vector_result", c.vector_result, cycles(0, 10'000),
        "SM cycles that a load with a uniform address saves beyond vector_address.");
  describe_stores(f, c);
  f.add("return_bytes_per_cycle", c.return_bytes_per_cycle, bytes(4, 4096),
        "Bytes of load data that enter the register file per SM cycle. Wide loads take longer by it.");
  f.add("async_release", c.async_release, cycles(0, 10'000),
        "SM cycles from acceptance until an LDGSTS (global to shared memory) has read its addresses.");
  f.add("async_latency", c.async_latency, cycles(0, 10'000),
        "SM cycles that an LDGSTS takes longer than a load that hits.");
  describe_groups_of_copies(f, c);
  describe_textures(f, c);
  f.add("stage_queue", c.stage_queue, count(1, 4096),
        "Instructions that may wait in front of the L1's tags, and cycles of data in front of its data stage.");
  describe_fences(f, c);
}

namespace {

void describe_l1_misses(FieldList& f, L1Config& c) {
  f.add("pending_requests", c.pending_requests, count(1, 65536),
        "Lines that may be outstanding at the L2 (miss status entries). With the latency of memory it limits the "
        "bandwidth "
        "of one SM.");
  f.add("pending_sectors", c.pending_sectors, count(0, 1u << 20),
        "Sectors that loads may wait for at a time; 0: all sectors of the pending lines. Limits loads of whole lines "
        "before "
        "pending_requests does.");
  f.add("pending_merges", c.pending_merges, count(1, 65536),
        "Instructions that may wait for one outstanding line. One more waits in front of the tags, and all behind it.");
  f.add("miss_queue", c.miss_queue, count(1, 65536), "Requests that may wait for the crossbar's port.");
  f.add("set_aside", c.set_aside, count(0, 1024),
        "Loads that find no free entry for a miss and are moved out of the way, so that loads behind them, which may "
        "hit, "
        "go on; 0: a load without an entry stops all behind it.");
  f.add("miss_latency", c.miss_latency, cycles(0, 10'000),
        "SM cycles from the lookup that misses to the crossbar's port. Part of the latency of the L2.");
  f.add(
      "lines_save", c.lines_save, cycles(0, 10'000),
      "SM cycles of miss_latency that a load saves when it touches several lines: its later misses follow the first.");
  f.add("fill_latency", c.fill_latency, cycles(0, 10'000),
        "SM cycles from the arrival of the data at the SM to the issue of an instruction that needs it. Part of the "
        "latency "
        "of the L2.");
}

void describe_l1_writes(FieldList& f, L1Config& c) {
  f.option(
      "store_gather",
      "Stores to one line that follow each other closely leave the SM as one request. none: each store leaves alone.",
      [&] {
        f.add("lines", c.store_lines, count(0, 1024), "Lines that may gather stores at a time, per SM.");
        f.add("hold", c.store_hold, cycles(0, 10'000),
              "SM cycles, at least, for which a line waits for further stores. Longer: more merge, and the last one "
              "arrives later.");
      });
  f.add("store_interval", c.store_interval, cycles(0, 100),
        "SM cycles that each line of a store takes in the tag stage; 0: lines are looked up together, as those of a "
        "load.");
  f.add(
      "atomic_waves", c.atomic_waves, flag(),
      "How lanes of an atomic operation that want the same word reach the L2: true, as separate requests, one lane of "
      "each word in each; false, as one request whose lanes the L2 works through.");
  f.add("atomic_reply", c.atomic_reply, cycles(0, 10'000),
        "SM cycles, at least, for which an atomic that wants the old value occupies the way out of the L1: the inverse "
        "of "
        "the rate of such atomics per SM.");
  f.add("write_policy", c.write_policy, one_of({"allocate", "no_allocate"}),
        "Whether a store that misses takes a line. The L1 always writes through.");
}

}  // namespace

void describe(FieldList& f, L1Config& c) {
  f.add("size", c.size, bytes(512, 64 * kMiB),
        "The whole array; shared memory is carved out of it and the L1 cache is the rest.");
  f.add("line", c.line, bytes(32, 1024), "Bytes under one tag; a power of two.");
  f.add("sector", c.sector, bytes(16, 1024), "Bytes that are filled at a time; a power of two.");
  f.add("sets", c.sets, count(1, 65536),
        "Sets; the ways follow from the size that is left beside shared memory. More sets: lines displace each other "
        "more "
        "by their addresses.");
  f.add("set_hash", c.set_hash, one_of({"modulo", "mix", "banks"}),
        "How a line finds its set. modulo: neighbours in turn; mix: spread as by chance, so that some sets are full "
        "before "
        "others; banks: by the bank of the tags that looks the line up, so that strides reach all sets alike.");
  f.add("replacement", c.replacement, plugin(), "Which line of a set makes room: the name of a policy.");
  f.add("tag_masks", c.tag_masks, mask(~0ull),
        "How a line finds its bank of the tags: each bit of the bank's number is the parity of the bits of the line's "
        "number that one mask names. Lines of one bank are looked up one after another, so the masks decide which "
        "strides take several cycles. Masks beyond the number of banks have no effect.");
  f.add(
      "sweep_masks", c.sweep_masks, mask(~0ull),
      "With replacement: sweep, the row of tags that a line belongs to: each bit of the row's number is the parity of "
      "the bits of the line's number that one mask names. A row with no free way evicts one of its own lines.");
  f.add("sweep_rows", c.sweep_rows, count(1, 65536),
        "With replacement: sweep, how many rows evict a line each when a bank is full. More rows: evictions come in "
        "larger groups, less often.");
  f.add("allocate", c.allocate, one_of({"fill", "miss"}),
        "When a line gets its place and another one goes: fill, when its data arrives; miss, when it is asked for.");
  f.add("hit_latency", c.hit_latency, cycles(1, 10'000),
        "SM cycles from the issue of a load that hits to an instruction that needs the value. Measured with a chain of "
        "loads, each giving the next address.");
  f.add("bytes_per_cycle", c.bytes_per_cycle, bytes(4, 4096),
        "Width of the data stage, which L1 hits and shared memory use in turn.");
  f.add("tags_per_cycle", c.tags_per_cycle, count(1, 64),
        "Lines looked up per SM cycle. A load that touches more lines takes several cycles.");
  describe_l1_misses(f, c);
  describe_l1_writes(f, c);
  f.add("detected_loss", c.detected_loss, bytes(0, kMiB),
        "Part of the array that never holds data of loads, as a pointer chase through growing arrays shows: the L1 is "
        "that "
        "much smaller than what the carve-out leaves.");
  f.add("perfect", c.perfect, flag(), "Every load hits; stores and atomics go on as usual. For what-if studies.");
  f.add("coalesced", c.coalesced, flag(),
        "The lanes of a load or store of global memory touch neighbouring bytes, wherever their addresses are. For "
        "what-if studies.");
}

void describe(FieldList& f, SharedMemory& c) {
  f.add("banks", c.banks, count(1, 128), "Banks that work at the same time.");
  f.add("bank_width", c.bank_width, bytes(1, 64), "Bytes that a bank delivers per cycle.");
  f.add("bank_conflicts", c.bank_conflicts, flag(),
        "Whether lanes that want different words of one bank take turns; also for L1 hits, which use the same array.");
  f.add("bytes_per_cycle", c.bytes_per_cycle, bytes(4, 4096), "Width of the data stage, which L1 hits share.");
  f.add("latency", c.latency, cycles(1, 10'000),
        "SM cycles from the issue of a load without conflicts to an instruction that needs the value.");
  f.add("pass_latency", c.pass_latency, cycles(0, 10'000),
        "SM cycles of latency that each pass beyond the first adds: a conflict of n words in a bank takes n passes.");
  f.add("matrix_latency", c.matrix_latency, cycles(0, 10'000),
        "SM cycles that each matrix beyond the first adds to the latency of LDSM.");
  f.add("atomic_hold", c.atomic_hold, cycles(0, 10'000),
        "SM cycles for which an atomic operation on shared memory keeps its warp's next access out, when 1, 2, 4, 8, "
        "16 and "
        "32 of its lanes want the same word; straight lines between these.");
  f.add("atomic_result", c.atomic_result, cycles(0, 10'000),
        "SM cycles by which an atomic's old value arrives later than a load's; several lanes on one word add what they "
        "add to "
        "atomic_hold.");
}

}  // namespace sassim::config
