// SPDX-License-Identifier: Apache-2.0
// The keys of the path from a processing block to the caches, of the L1 and of shared memory (sm.memory_io, sm.l1,
// sm.shared): limits, unit and meaning of each (field.h).
#include "sim/config/describe.h"

namespace sassim::config {

namespace {

void describe_fences(FieldList& f, MemoryIo& c) {
  f.add("membar_cta", c.membar_cta, cycles(0, 1'000'000),
        "SM cycles of MEMBAR.CTA (__threadfence_block) after all earlier accesses of the warp have finished.");
  f.add("membar_gpu", c.membar_gpu, cycles(0, 1'000'000),
        "SM cycles of MEMBAR.GPU (__threadfence) after all earlier accesses of the warp have finished.");
  f.add("membar_sys", c.membar_sys, cycles(0, 1'000'000),
        "SM cycles of MEMBAR.SYS (__threadfence_system) after all earlier accesses of the warp have finished.");
  f.option(
      "membar_l2",
      "A fence first sends a query to each L2 slice to which the SM has sent a request since its last fence, and waits "
      "for all answers. Then membar_gpu or membar_sys passes. none: a fence sends no query.",
      [&] {
        f.add("idle", c.membar_l2.idle, cycles(0, 1'000'000), "SM cycles of the query if the SM has sent no request.");
        f.add("near", c.membar_l2.near, cycles(0, 1'000'000),
              "SM cycles from a query to the nearest slice of the SM's own half until its answer.");
        f.add("far", c.membar_l2.far, cycles(0, 1'000'000),
              "SM cycles from a query to the nearest slice of the other half until its answer.");
        f.add("interval", c.membar_l2.interval, cycles(0, 1'000), "SM cycles between the queries to two slices.");
        f.add("host", c.membar_l2.host, cycles(0, 1'000'000),
              "SM cycles of the query that MEMBAR.SYS sends out of the GPU at the same time. The longer of the two "
              "queries counts.");
      });
}

void describe_stores(FieldList& f, MemoryIo& c) {
  f.add("store_release", c.store_release, cycles(0, 10'000),
        "SM cycles from the acceptance of a 32-bit store by the SM's memory stage until the store has read its data. "
        "Until then, an instruction that overwrites the data register waits.");
  f.add("store_vector_release", c.store_vector_release, cycles(0, 10'000),
        "SM cycles that are added to store_release if the store's address is in vector registers, not in uniform "
        "registers.");
  f.add("store_bytes_per_cycle", c.store_bytes_per_cycle, bytes(4, 4096),
        "Bytes of store data that leave the register file per SM cycle. With a smaller value, wide stores hold their "
        "registers for longer.");
}

void describe_groups_of_copies(FieldList& f, MemoryIo& c) {
  f.add("barrier_wake", c.barrier_wake, cycles(1, 10'000),
        "SM cycles from the last arrival at an mbarrier (a barrier in shared memory) to the result of a try_wait that "
        "waits for it. An instruction arrives memory_io.pipeline cycles after its issue; a copy arrives when its data "
        "is written.");
  f.optional(
      "barrier_wake_interval", c.barrier_wake_interval, cycles(0, 10'000),
      "SM cycles between the results of two try_waits that wait for the same arrival: the unit returns them one after "
      "the other. With a larger value the last of many waiting warps continues later. 0: all results come together.");
  f.optional(
      "barrier_serial", c.barrier_serial, cycles(0, 10'000),
      "SM cycles that each mbarrier beyond the first one adds to an instruction whose threads use several mbarriers.");
  f.optional(
      "barrier_try_limit", c.barrier_try_limit, cycles(0, 1'000'000'000),
      "SM cycles that a try_wait at an mbarrier waits for the end of its phase before it returns false, beyond what "
      "a test takes. The program then usually tries again, so that with a shorter limit waiting warps execute more "
      "instructions. 0: a try_wait does not wait.");
}

void describe_textures(FieldList& f, MemoryIo& c) {
  f.add("texture_latency", c.texture_latency, cycles(0, 10'000),
        "SM cycles by which an access through the texture unit takes longer than a load.");
  f.add("filter_latency", c.filter_latency, cycles(0, 10'000),
        "SM cycles that are added to texture_latency for texels with coordinates and a filter.");
  f.add("texture_queue", c.texture_queue, count(1, 256),
        "Accesses of a processing block that can wait for the texture unit. If they fill the queue, the warp of a "
        "further "
        "one stalls with tex_throttle; other memory instructions go past it.");
  f.add("texture_places", c.texture_places, count(1, 4096),
        "Accesses of an SM that can be between the texture unit and the L1. With more, more latency is hidden.");
  f.add("texture_lanes", c.texture_lanes, count(1, 32),
        "Lanes whose texels the texture unit handles in one step, for samples with coordinates and a filter and for "
        "texels above 8 bytes. More lanes give a higher rate.");
  f.add("texture_narrow_lanes", c.texture_narrow_lanes, count(1, 32),
        "Lanes whose texels the texture unit handles in one step, for texels of at most 8 bytes without a filter: "
        "surfaces, and TLD of one or two channels. More lanes give a higher rate.");
}

void describe_adu_queue(FieldList& f, MemoryIo& c) {
  f.option(
      "adu_queue",
      "LDC and S2R leave each processing block through a queue to the address divergence unit (ADU), which the SM's "
      "processing blocks share. none: LDCs wait in the memory queue (`queue`) and are served in order; S2R wait in "
      "front of the pipe `adu`.",
      [&] {
        f.add("entries", c.adu_queue.entries, count(0, 256),
              "Instructions of a processing block that can wait in its queue. If it is full, the warp of a further one "
              "stalls with mio_throttle.");
        f.add(
            "interval", c.adu_queue.interval, cycles(1, 64),
            "SM cycles between two instructions that leave the queues of an SM's processing blocks: the inverse of an "
            "SM's rate of LDC and S2R.");
        f.add("loads", c.adu_queue.loads, count(1, 4096),
              "LDCs of an SM that can be between the queues and their results. LDCs that hit overtake those that miss. "
              "With a smaller value, warps that miss together stall earlier.");
        f.add("lines", c.adu_queue.lines, count(1, 4096),
              "Lines that the cache of LDC can request at the same time. With a larger value more misses overlap.");
      });
  f.optional(
      "thread_index_interval", c.thread_index_interval, cycles(0, 64),
      "SM cycles for which S2R of a thread's or lane's index occupies the SM's memory stage, through which it then "
      "passes like a shuffle; without adu_queue the same for S2R of every register but the clock. 0: it passes through "
      "the ADU as S2R of other registers does.");
  f.add(
      "thread_index_latency", c.thread_index_latency, cycles(1, 256),
      "SM cycles from S2R of a thread's or lane's index to an instruction that waits for it, if it passes through the "
      "SM's memory stage (memory_io.thread_index_interval); other S2R take sm.pipes.ops.s2r.latency.");
}

}  // namespace

void describe(FieldList& f, MemoryIo& c) {
  f.add("queue", c.queue, count(1, 256),
        "Memory instructions that can wait in a processing block; the input latch counts as one place. When the queue "
        "is full, warps stall with lg_throttle or mio_throttle.");
  f.add("address_interval", c.address_interval, cycles(1, 64),
        "SM cycles that one instruction occupies the address stage of a processing block.");
  f.optional(
      "shared_address_interval", c.shared_address_interval, cycles(0, 64),
      "The same for accesses to shared memory that threads may execute (not those guarded by !PT), shuffles and S2R "
      "of a thread's index; 0: as address_interval.");
  f.add("accept_interval", c.accept_interval, cycles(1, 64),
        "SM cycles between two instructions that the SM's memory stage accepts from all processing blocks, which share "
        "it: the inverse of an SM's rate of memory instructions.");
  f.add("pipeline", c.pipeline, cycles(0, 1000),
        "SM cycles from the issue of a memory instruction to the SM's memory stage if nothing else is in flight. Part "
        "of the latency of caches and shared memory.");
  f.add("vector_address", c.vector_address, cycles(0, 1000),
        "SM cycles that a global access takes longer if its address is in vector registers, not in uniform registers.");
  f.add(
      "vector_result", c.vector_result, cycles(0, 10'000),
      "SM cycles by which the result of a load arrives earlier if its address is in uniform registers, in addition to "
      "vector_address.");
  describe_stores(f, c);
  f.add("return_bytes_per_cycle", c.return_bytes_per_cycle, bytes(4, 4096),
        "Bytes of load data that enter the register file per SM cycle. With a smaller value, wide loads take longer.");
  f.add("async_release", c.async_release, cycles(0, 10'000),
        "SM cycles from the acceptance of an LDGSTS (a copy from global to shared memory) until it has read its "
        "addresses.");
  f.add("async_latency", c.async_latency, cycles(0, 10'000),
        "SM cycles by which an LDGSTS takes longer than a load that hits.");
  describe_groups_of_copies(f, c);
  describe_textures(f, c);
  f.add("stage_queue", c.stage_queue, count(1, 4096),
        "Instructions that can wait in front of the L1's tags, and cycles of work that can wait in front of its data "
        "stage.");
  describe_adu_queue(f, c);
  describe_fences(f, c);
}

namespace {

void describe_l1_misses(FieldList& f, L1Config& c) {
  f.add("pending_requests", c.pending_requests, count(1, 65536),
        "Lines that can be outstanding at the L2 (entries for misses). Together with the latency of the memory system "
        "it limits the bandwidth of one SM.");
  f.optional(
      "pending_loads", c.pending_loads, count(0, 65536),
      "Load instructions that can wait for data that they have requested from the L2, whatever the number of their "
      "lines; 0: only the number of lines is limited. A further one waits in front of the tags and blocks all later "
      "instructions. With fewer, one SM reads less per cycle, and narrow loads less than wide ones.");
  f.add("pending_merges", c.pending_merges, count(1, 65536),
        "Instructions that can wait for one outstanding line. A further one waits in front of the tags and blocks all "
        "later instructions.");
  f.add(
      "join_parts", c.join_parts, flag(),
      "Which sectors of a line a load requests if some of those that it needs are in flight and others are not. true: "
      "the others; false: all that it has not found, so that the L2 reads some twice. A load of which all sectors are "
      "in flight waits for them in either case.");
  f.add("miss_queue", c.miss_queue, count(1, 65536), "Requests that can wait for the SM's port to the crossbar.");
  f.add("miss_latency", c.miss_latency, cycles(0, 10'000),
        "SM cycles from a lookup that misses to the crossbar's port. Part of the latency of the L2.");
  f.optional(
      "join_misses", c.join_misses, cycles(0, 10'000),
      "SM cycles for which a load that misses in further sectors of a line joins the request that the L1 made last, "
      "if that is for the same line; 0: each miss is a request of its own. The L2 looks the sectors of one request up "
      "together, so that one of them is no hit because the other one fetches it. Only the L2's counts of requests and "
      "hits depend on this.");
  f.optional(
      "lines_save", c.lines_save, cycles(0, 10'000),
      "SM cycles by which miss_latency is shorter for a load of several lines, because its later misses follow the "
      "first one directly.");
  f.add("fill_latency", c.fill_latency, cycles(0, 10'000),
        "SM cycles from the arrival of data at the SM to the issue of an instruction that needs it. Part of the "
        "latency of the L2.");
}

void describe_l1_writes(FieldList& f, L1Config& c) {
  f.option(
      "store_gather",
      "Stores to one line that follow each other closely leave the SM as one request. none: each store leaves alone.",
      [&] {
        f.add("lines", c.store_gather.lines, count(0, 1024), "Lines per SM that can gather stores at the same time.");
        f.add("hold", c.store_gather.hold, cycles(0, 10'000),
              "Least SM cycles for which a line waits for further stores. With a larger value more stores merge, and "
              "the last one arrives later.");
      });
  f.optional(
      "store_interval", c.store_interval, cycles(0, 100),
      "SM cycles that each line of a store takes in the tag stage; 0: its lines are looked up together, like the "
      "lines of a load.");
  f.optional(
      "atomic_waves", c.atomic_waves, flag(),
      "How an atomic operation reaches the L2 if several lanes use the same word. true: as several requests, each with "
      "one lane per word; false: as one request, whose lanes the L2 handles one after the other.");
  f.add("write_policy", c.write_policy, one_of({"allocate", "no_allocate"}),
        "Whether a store that misses allocates a line. The L1 always writes through.");
}

}  // namespace

void describe(FieldList& f, L1Config& c) {
  f.add(
      "size", c.size, bytes(512, 64 * kMiB),
      "Size of the array that the L1 and shared memory divide: the L1 is what the carve-out for shared memory leaves.");
  f.add("line", c.line, bytes(32, 1024), "Bytes that one tag covers; a power of two.");
  f.add("sector", c.sector, bytes(16, 1024), "Bytes that are fetched together; a power of two.");
  f.add("sets", c.sets, count(1, 65536),
        "Sets of the L1; the ways follow from the size that shared memory leaves. With more sets, lines with some "
        "strides displace each other more often.");
  f.add("set_hash", c.set_hash, one_of({"modulo", "mix", "banks"}),
        "How a line is mapped to a set. modulo: neighbouring lines in neighbouring sets; mix: pseudo-random, so that "
        "some "
        "sets fill before others; banks: by the tag bank that looks the line up, so that all strides use all sets.");
  f.add("replacement", c.replacement, plugin(), "The policy that chooses the victim in a set.");
  f.add("tag_masks", c.tag_masks, mask(~0ull),
        "How a line is mapped to a tag bank: each bit of the bank's number is the parity of those bits of the line "
        "number that one mask selects. Lines of one bank are looked up one after the other, so that the masks decide "
        "which strides take several cycles. Masks beyond the number of banks have no effect.");
  f.add("sweep_masks", c.sweep_masks, mask(~0ull),
        "With replacement: sweep, how a line is mapped to a row of tags: each bit of the row's number is the parity of "
        "those bits of the line number that one mask selects. A row without a free way evicts one of its own lines.");
  f.add("sweep_rows", c.sweep_rows, count(1, 65536),
        "With replacement: sweep, the number of rows that each evict a line when a bank is full. With more rows, "
        "evictions come in larger groups and less often.");
  f.add("allocate", c.allocate, one_of({"fill", "miss"}),
        "When a line takes a way and evicts the victim. fill: when its data arrives; miss: when it is requested.");
  f.add("hit_latency", c.hit_latency, cycles(1, 10'000),
        "SM cycles from the issue of a load that hits to an instruction that needs the value. Measured with a chain of "
        "loads, in which each load returns the next address.");
  f.add("bytes_per_cycle", c.bytes_per_cycle, bytes(4, 4096),
        "Width of the data stage in bytes per SM cycle; L1 hits and shared memory take turns in it. Limits the "
        "bandwidth of both.");
  f.add(
      "tags_per_cycle", c.tags_per_cycle, count(1, 64),
      "Lines that can be looked up per SM cycle: the number of tag banks. A load of more lines takes several cycles.");
  f.optional(
      "tag_bytes", c.tag_bytes, bytes(0, 1024),
      "Bytes of a line's sectors that leave the tag stage in an SM cycle; 0: all of a line. With fewer, 128 bytes "
      "that begin in the middle of a line take longer than a whole line.");
  describe_l1_misses(f, c);
  describe_l1_writes(f, c);
  f.add("detected_loss", c.detected_loss, bytes(0, kMiB),
        "Bytes of the array that never hold data of loads, so that the L1 is smaller than what the carve-out leaves. "
        "Measured with a pointer chase through growing arrays.");
  f.optional("perfect", c.perfect, flag(),
             "Every load hits; stores and atomics are unchanged. For what-if studies; no hardware does this.");
  f.optional("coalesced", c.coalesced, flag(),
             "The different addresses of an access to global memory are neighbours, whatever they are in the program; "
             "atomics and reductions too. For what-if studies; no hardware does this.");
}

void describe(FieldList& f, SharedMemory& c) {
  f.add("banks", c.banks, count(1, 128),
        "Banks of shared memory that work at the same time. More banks give fewer conflicts.");
  f.add("bank_width", c.bank_width, bytes(1, 64), "Bytes that one bank delivers per cycle.");
  f.add("bank_conflicts", c.bank_conflicts, flag(),
        "Whether lanes that need different words of one bank take turns; also for L1 hits, which use the same array.");
  f.add("bytes_per_cycle", c.bytes_per_cycle, bytes(4, 4096),
        "Width of the data stage in bytes per SM cycle; shared memory and L1 hits take turns in it.");
  f.add("latency", c.latency, cycles(1, 10'000),
        "SM cycles from the issue of a load without bank conflicts to an instruction that needs the value.");
  f.add(
      "pass_latency", c.pass_latency, cycles(0, 10'000),
      "SM cycles of latency that each pass beyond the first one adds. A conflict of n words in a bank needs n passes.");
  f.add("matrix_latency", c.matrix_latency, cycles(0, 10'000),
        "SM cycles of latency that each matrix of an LDSM beyond the first one adds.");
  f.add("atomic_hold", c.atomic_hold, cycles(0, 10'000),
        "SM cycles for which an atomic operation on shared memory blocks its warp's next access, for 1, 2, 4, 8, 16 "
        "and 32 lanes on the same word. Values between these numbers are interpolated linearly.");
  f.add("atomic_result", c.atomic_result, cycles(0, 10'000),
        "SM cycles by which the old value of an atomic arrives later than the data of a load. Several lanes on one "
        "word add as much as they add to atomic_hold.");
  f.add(
      "spin_delay", c.spin_delay, cycles(0, 1000),
      "SM cycles by which an ATOMS.CAST.SPIN compares and swaps later than other atomics do, and its result is later. "
      "Additions of floats in shared memory are loops of a load and this instruction. The later it swaps, the more "
      "often another warp has changed the word since the load, and the loop is repeated.");
}

}  // namespace sassim::config
