# SPDX-License-Identifier: Apache-2.0
"""The mechanisms that tools/lab/ablation switches off, and the programs that it runs.

A mechanism is in this list when its keys are set on the H200 (its chip, generation, sample or host) and neutral on T4 and
V100, or when they say that they are carried over from an H200. Off is the value that T4 and V100 have, or what takes no
time and stops nothing where they carry it over. What all generations have, with other values, is no mechanism here, such as the latency
of an operation or the pipe that executes it. A mechanism enters for a program: it moves the cycles of a kernel of the development or
validation sets by 1 %, or a counter of one, or STAYS names the program. The tests hold the number of mechanisms, and of keys, to a ceiling.
"""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Mechanism:
    name: str           # also the name of its results
    what: str
    off: tuple          # KEY=VALUE, all at once
    own: tuple = ()     # microbenchmarks that its keys' comments, or the pages that they name, were written from


# Development programs, and the seconds of one core's time in which all launches of their small size were replayed once; cheapest first.
PROGRAMS = {"reduction": 0.49, "convolution": 0.49, "histogram": 0.56, "mandelbrot": 0.56, "bitonic_sort": 0.62, "fft": 0.64,
            "monte_carlo": 0.73, "nbody": 0.81, "saxpy": 0.92, "hgemm_wmma": 0.94, "stencil3d": 0.97, "string_match": 0.97, "scan": 1.13,
            "transpose": 1.18, "black_scholes": 1.21, "stencil2d": 1.40, "vector_add": 1.41, "softmax": 1.89, "jacobi": 2.15,
            "gather": 2.65, "bfs": 2.72, "sgemm": 2.76, "spmv_csr": 3.13}
# The same for the large size of some.
LARGE = {"reduction": 6.65, "convolution": 8.32, "mandelbrot": 9.21, "histogram": 12.9, "vector_add": 13.7, "transpose": 27.5}
# Validation programs that use what no development program uses, and the seconds in which their small size was replayed. They were chosen by
# these features alone. Nothing here may depend on their errors, so none is computed.
FEATURES = {"queens": (0.07, "search in divergent loops"), "wave_queue": (0.15, "blocks that wait for each other, volatile loads"),
            "huffman": (0.16, "atomics in shared memory, BREAK"), "lookback_scan": (0.19, "volatile loads, YIELD"),
            "sparse_gemm": (0.29, "sparse MMA, LDSM"), "keccak": (0.37, "long code without branches"), "gemm_int8": (0.40, "dot products of bytes"),
            "double_functions": (0.44, "conversions to 64 bits, calls"), "table_cipher": (0.45, "tables in constant and shared memory"),
            "specialised_gemm": (0.50, "barriers in shared memory, copies to shared memory, NANOSLEEP, integer MMA"),
            "hash_table": (0.54, "compare and swap in random lines"), "equalize": (0.57, "MATCH, atomics in shared memory"),
            "embedding": (0.60, "reductions in half and single precision"), "half_gelu": (0.69, "half precision"),
            "image_textures": (0.73, "textures"), "batched_dmma": (0.87, "MMA in double precision"), "tiny_blocks": (0.90, "many short blocks"),
            "dot_double": (0.94, "reductions in double precision, compare and swap, fences"), "quadrature": (1.07, "recursion"),
            "library_tools": (1.32, "code of a library, REDUX, votes"), "pipelined_gemm": (2.13, "asynchronous copies and MMA"),
            "byte_counts": (2.97, "asynchronous copies"), "raytrace": (3.01, "calls"),
            "fir_decimate": (3.07, "asynchronous copies"), "kernel_density": (4.22, "MATCH of 64 bits, atomics in single precision"),
            "grid_barrier": (20.65, "fences, blocks that wait for each other")}
# Microbenchmarks, and the seconds in which one core simulated them with their default arguments; those above 5 are left out.
ROWS = {"l2_slices": 0.38, "memory_issue": 0.85, "constant_cache": 0.89, "load_latency": 0.99, "atomics_throughput": 1.10, "tensor": 1.14,
        "instruction_latency": 1.33, "barrier": 1.45, "shared_conflicts": 1.71, "tlb": 1.94, "loaded_latency": 2.02, "scheduler_map": 2.18,
        "async_copy": 2.51, "instruction_rate": 2.88, "l1_bandwidth": 2.97, "block_replacement": 3.52, "atomics_latency": 3.70,
        "chase_histogram": 3.73, "l1_capacity": 3.87, "cached_bandwidth": 4.66}

O, I, F, M, L, X, S, A, E = ("sm.occupancy.", "sm.issue.", "sm.front_end.", "sm.memory_io.", "sm.l1.", "memory.crossbar.",
                             "memory.halves", "memory.l2.", "environment.")
MECHANISMS = (
    Mechanism("carveout-room", "the driver chooses a carve-out with room for twice the resident blocks", (O + "carveout_room=1",)),
    Mechanism("warp-start", "a warp fetches some time after its placement", (O + "warp_start=0",), ("block_replacement",)),
    Mechanism("block-retire", "the GPU notes the ends of blocks one after the other, and replaces a block after that",
              ("launch.block_retire_interval=0",), ("barrier", "block_replacement")),
    Mechanism("oldest-block", "the scheduler prefers warps of the oldest block", (I + "scheduler=greedy_youngest",), ("scheduler_map",)),
    Mechanism("indirect-branches", "calls, returns and jump tables take longer", (I + "indirect=none",)),
    Mechanism("sync-latency", "BSYNC takes time", (I + "sync_latency=0",)),
    Mechanism("exit", "a warp that has ended counts as resident for some cycles", (I + "exit=none",)),
    Mechanism("second-pass", "the second pass of a 64-bit product holds dispatch", ("sm.pipes.second_pass=0",)),
    Mechanism("threads-sleep", "threads of a warp sleep apart from the others", (I + "threads_sleep=false",)),
    Mechanism("adu-queue", "LDC and S2R wait in a queue of their own", (M + "adu_queue=none",), ("constant_cache",)),
    Mechanism("thread-index", "S2R of a thread's index goes through the memory stage", (M + "thread_index_interval=0",)),
    Mechanism("shared-address", "accesses to shared memory leave a processing block every 2 cycles", (M + "shared_address_interval=0",),
              ("shared_conflicts",)),
    Mechanism("give-way", "threads that continue from the pool of waiting ones are fetched later", (I + "give_way_latency=0",)),
    Mechanism("spin-delay", "ATOMS.CAST.SPIN swaps later than other atomics of shared memory", ("sm.shared.spin_delay=0",)),
    Mechanism("warp-sync", "WARPSYNC takes time for each different mask, and where threads reach it in groups",
              (I + "warp_sync=none", I + "warp_join=none")),
    Mechanism("gpc-constants", "SMs of a GPC take turns to read constants", (F + "gpc_constants=none",), ("block_replacement",)),
    Mechanism("fetch-width", "a fetch delivers two instructions", (F + "fetch_width=1",)),
    Mechanism("constant-delay", "constants from the L2 take longer than code", (F + "constant_delay=0",), ("constant_cache",)),
    Mechanism("l0-shared", "a fetched line of code enters all L0s of the SM", (F + "l0_shared=false",), ("block_replacement",)),
    Mechanism("fill-cycles", "the bandwidth from the L1 instruction cache to an L0 is limited", (F + "fill_cycles=0",)),
    Mechanism("pending-code", "the number of outstanding lines of code is limited", (F + "l1_pending_requests=1024",)),
    Mechanism("queued-reads", "instructions that wait in a queue take register ports when they read",
              ("sm.register_file.queued_reads=none",)),
    Mechanism("shared-adu", "the processing blocks of an SM share one address divergence unit",
              ("sm.pipes.adu.shared_by_sm=false",), ("instruction_rate",)),
    Mechanism("match-values", "MATCH takes time for each different value",
              ("sm.pipes.match.value_latency=0", "sm.pipes.match.wide_value_latency=0")),
    Mechanism("fence-l2", "a fence sends a query to the L2", (M + "membar_l2=none",), ("barrier",)),
    Mechanism("mbarriers", "barriers in shared memory take time",
              (M + "barrier_wake=4", M + "barrier_wake_interval=0", M + "barrier_serial=0"), ("async_copy",)),
    Mechanism("barrier-try-limit", "a thread that waits for a barrier in shared memory checks it again after some time",
              (M + "barrier_try_limit=0",), ("async_copy",)),
    Mechanism("textures", "the texture unit has a latency and a limited rate",
              (M + "texture_latency=0", M + "filter_latency=0", M + "texture_lanes=32", M + "texture_narrow_lanes=32")),
    Mechanism("store-gather", "stores to one line leave the SM as one request", (L + "store_gather=none",)),
    Mechanism("store-interval", "each line of a store takes two cycles in the tag stage", (L + "store_interval=0",)),
    Mechanism("lines-save", "misses of a load of several lines leave earlier", (L + "lines_save=0",), ("load_latency",)),
    Mechanism("atomic-waves", "lanes of an atomic on one word become separate requests", (L + "atomic_waves=false",),
              ("atomics_latency", "atomics_throughput")),
    Mechanism("l1-set-hash", "the tag bank of a line is also its set in the L1", (L + "set_hash=modulo",), ("l1_capacity",)),
    Mechanism("l1-sweep", "the L1 replaces lines row by row of tags, not by LRU", (L + "replacement=lru",), ("l1_capacity",)),
    Mechanism("l1-allocate", "the L1 evicts the victim at the request, not at the fill", (L + "allocate=fill",), ("l1_capacity",)),
    Mechanism("tag-masks", "parities of address bits choose the tag bank", (L + "tag_masks=[]",), ("l1_bandwidth",)),
    Mechanism("tlb-scope", "TLB entries outlast a launch", ("sm.tlb_scope=launch",)),
    Mechanism("sector-latency", "the sectors of a reply arrive one after the other", (X + "sector_latency=0",), ("chase_histogram",)),
    Mechanism("merge", "loads of the same sectors by SMs of a GPC merge", (X + "merge=none",), ("cached_bandwidth",)),
    Mechanism("merge-copies", "copies to padded tiles do not merge", (X + "merge.split_copies=true",)),
    Mechanism("merge-system", "volatile loads of words do not merge", (X + "merge.system=true",)),
    Mechanism("merge-lines", "volatile loads of whole lines merge in pairs", (X + "merge.system_lines=1",)),
    Mechanism("gpc-sizes", "GPCs have different numbers of SMs", (X + "gpc_sms=[]",), ("block_replacement",)),
    Mechanism("store-headers", "stores of whole sectors have no header", (X + "whole_store_header=true",), ("atomics_throughput",)),
    Mechanism("far-stores", "masks of stores to the other half take their time, and invalidations of a line are apart",
              (S + ".mask_bytes=0", S + ".invalidation_interval=0")),
    Mechanism("far-changes", "what changes a line of the other half takes longer to get there than a load", (S + ".change_latency=0",),
              ("atomics_latency",)),
    Mechanism("far-results", "the result of an atomic in the other half takes longer than data", (S + ".result_latency=0",),
              ("atomics_latency",)),
    Mechanism("held-stores", "stores of the other half wait for data of the copy", (S + ".hold_stores=false",)),
    Mechanism("halves", "the L2 has two halves", (S + "=none",), ("chase_histogram", "l2_slices")),
    Mechanism("near-copies", "a half keeps copies of lines of the other half", (S + ".near_copies=false",), ("chase_histogram",)),
    Mechanism("half-of-gpcs", "some GPCs are attached to one half, some to the other", (S + ".gpcs=[]",), ("chase_histogram",)),
    Mechanism("l2-pages", "each page of memory begins at a random set of the L2", (A + "page=0",)),
    Mechanism("slice-pairs", "two slices share each KiB", (A + "group=none",), ("l2_slices",)),
    Mechanism("atomic-unit", "atomics on parts of sectors, on lines in turn and on random lines take longer, and old values leave later than data of loads",
              (A + "atomic_partial_interval=0", A + "atomic_turn=0", A + "atomic_minimum=1", A + "atomic_result_minimum=1", A + "atomic_return=0"),
              ("atomics_throughput", "atomics_latency")),
    Mechanism("atomic-float", "floating-point atomics on one sector take longer",
              (A + "atomic_float_interval=0",), ("atomics_throughput",)),
    Mechanism("byte-masks", "the L2 records each stored byte, so that sectors that several stores filled need no fetch",
              (A + "byte_masks=false",)),
    Mechanism("reread", "a sector that was written back in part is read again by the next store to it", (A + "dirty.reread=false",)),
    Mechanism("end-barriers", "sectors of barriers at the end of a kernel are counted", (A + "end_barriers=false",)),
    Mechanism("environment", "copies, other programs, the driver and a profiler leave lines in the L2 and add to its counters",
              ("environment=none",)),
    Mechanism("write-stay", "a phase of writing in a channel has a least length", ("memory.dram.write_stay=0",), ("loaded_latency",)),
    Mechanism("line-map", "neighbouring lines of a slice are in different DRAM channels and bank groups", ("memory.dram.map=row_bank_column",), ("loaded_latency",)),
    Mechanism("refresh-together", "all DRAM channels refresh the same banks at nearly the same time", ("memory.dram.refresh=per_bank", "memory.dram.refresh_skew=0"), ("chase_histogram",)),
    Mechanism("closed-rows", "a DRAM row is closed when no queued access needs it", ("memory.dram.row_policy=open",), ("chase_histogram",)),
    Mechanism("write-flush", "a kernel that has written memory ends later", ("launch.write_flush=0", "launch.write_flush_interval=0")),
    Mechanism("sm-interval", "the first blocks of the SMs start one after the other", ("launch.sm_interval=0",), ("block_replacement",)),
    Mechanism("sm-order", "SMs get their first blocks in a measured order",
              ("launch.sm_order=[]", "launch.group_sms=[]", "launch.first_group_turns=0"), ("block_replacement",)),
    Mechanism("code-prefetch", "a launch loads the beginning of its code into the caches", ("launch.code_prefetch=0",)),
    Mechanism("state-bytes", "a launch reads its description and parameters from memory", ("launch.state_bytes=0",)),
    Mechanism("places", "launches put their constants into a few places in turn", ("launch.places=none",)),
    Mechanism("cold-code", "with cold caches the code arrives after the first blocks have been placed", ("launch.cold_code_delay=0",)),
)

# Why a mechanism stays that moves nothing on the page outside its own benchmark.
STAYS = {
    "exit": "it changes only stall reasons and occupancy, which are not on this page (validation/measured/h200/comparing.md#model-differences)",
    "second-pass": "it changes only stall reasons, which are not on this page (validation/measured/h200/comparing.md#profiles)",
    "barrier-try-limit": "`column_moments` (small), executed while it is timed, executes 31 % more instructions without it and takes 1.3 % fewer cycles",
    "mbarriers": "`column_moments` (small), executed while it is timed, takes 1.2 % more cycles without it; loops in which a warp copies tiles for others move by 3 to 9 % (`async.ring.*`)",
    "fence-l2": "`dot_double` (small) takes 1.7 % fewer cycles without it, `task_queue` (small), executed while it is timed, 1.4 % more",
    "l1-set-hash": "`sparse_gemm` (small) takes 2.6 % more cycles without it",
    "merge-copies": "`flash_attention` (small), whose tiles are padded, would look up 33 % fewer sectors in the L2 (validation/measured/h200/l2.md#load-merging)",
    "merge-lines": "`lookback_scan` (small), executed while it is timed, takes 2.4 % more cycles without it",
    "spin-delay": "kernels with ATOMS.CAST.SPIN are executed while they are timed, not here: `kmeans_sums` (small) takes 8 % fewer cycles without it "
                  "(validation/measured/h200/shared-memory.md#shared-memory)",
    "threads-sleep": "`task_queue` (small), executed while it is timed, takes 1.5 % more cycles without it",
    "far-stores": "words that both halves store to: `bfs` (large), when executed while it is timed, takes 23 % fewer cycles without it "
                  "(validation/measured/h200/waiting.md#contended-words)",
    "sm-interval": "T4 and V100 have it too, and their programs run with it. It was measured (validation/measured/h200/launches.md#launch): without it, a block replaces another later (`block.replace.w8.p95`: 495 cycles, 466 on the GPU)",
    "l1-allocate": "a sparse product that loads words of random places moves by up to 10 % (validation/measured/h200/l1.md#l1-replacement)",
    "write-stay": "`stencil7` (large) takes 5.5 % fewer cycles without it, `heat` of `heat_double` (large) 7.2 %",
    "l2-pages": "it decides which part of arrays of 24 to 36 MiB stays in the L2 (validation/measured/h200/l2.md#l2-capacity); all arrays here are smaller",
    "merge-system": "merge-lines is a part of it; `lookback_scan` (small), executed while it is timed, executes 0.7 % more instructions without it",
    "pending-code": "T4 and V100 have it too, and their programs run with it; it limits the rate of code that no cache of the SM holds (`icache.cpi.*`)",
    "reread": "`transpose_naive` (large) reads 18.9 MB from DRAM; without it the model reads 16.8 MB",
}
# What was removed because of this page: name, keys, and what had moved.
REMOVED = (
    ("short-sleep", ("sm.issue.short_sleep.below", "sm.issue.short_sleep.takes"), "no kernel, also where it is executed while it is timed (`task_queue`, `specialised_gemm`)"),
    ("block-launch", ("sm.occupancy.block_launch_interval",), "no kernel by more than 0.8 % (`vector_add`); four rows of `block_replacement` and `barrier`"),
    ("sm-ways", ("launch.sm_ways",), "no kernel by more than 0.4 %; rows of `block_replacement`, of which four are known gaps now (`block.replace.*`: SMs differ by up to 95 cycles)"),
    ("pending-sectors", ("sm.l1.pending_sectors",), "no kernel by more than 0.4 % (`spmv_vector`), and no row; one SM alone reads 128 bytes per cycle from the L2, 92.5 on the GPU (validation/measured/h200/l1.md#l1-replacement)"),
    ("copy-groups", ("sm.memory_io.async_group_latency", "sm.memory_io.async_group_tail"), "no kernel; rows of `async_copy` by 5 to 10 cycles, 19 of which are known gaps now: the end of a group without copies takes 33 cycles, 41 on the GPU (`async.group.*`)"),
    ("atomic-reply", ("sm.l1.atomic_reply",), "no kernel; three rows of `atomics_throughput`, which are known gaps now (`atomicthr.s2.*`: one SM sends atomics with a result 17 to 21 % too fast)"),
    ("bulk-interval", ("sm.memory_io.bulk_interval",), "no kernel: CUDA 11.8 compiles no bulk copies. Rows of `bulk_copy`"),
    ("gmma-rate", ("sm.pipes.mma.gmma_fma_per_cycle",), "nothing; CUDA 11.8 compiles no WGMMA, which takes the rate of HMMA now"),
    ("fp64-reuse", ("sm.register_file.reuse_of_fp64",), "nothing; no program has DFMA and FFMA in turn"),
    ("code-by-gpc", ("memory.l2.code_by_gpc",), "no kernel: the counts follow from `sm.front_end.gpc_constants` (gpc-constants)"),
    ("mma-intervals", ("sm.pipes.mma.interval_1688", "sm.pipes.mma.interval_sparse"), "nothing, nor any row of `tensor`; `sparse_gemm` (large) by 0.02 %"),
    ("pair-result", ("sm.pipes.ops.*.pair_result",), "four rows of `instruction_rate`; two of them are known gaps now (`rate.f2f_f64_f32`, "
     "`rate.i2f_f64_f2i`: 6 %)"),
    ("pending-release", ("sm.front_end.l1_pending_release",), "rows of `icache.*` by up to 4 %; two of them are known gaps now "
     "(`icache.cold.32`, `icache.cpi.w4.256`: 6 %)"),
    ("set-aside", ("sm.l1.set_aside",), "nothing, and no benchmark reaches the limit behind which it acted"),
)

# Keys whose value on the H200 differs from that of both T4 and V100, or was carried over to them from an H200, and that belong to no mechanism.
_LATENCIES = tuple(f"sm.pipes.ops.{op}" for op in ("fp32_alu", "imad", "imad_wide", "idp", "fp16", "fp16_widen", "fp16_mma", "vote", "match", "redux",
                                                   "shuffle", "uniform_mem", "imma", "barrier", "async_wait", "s2r", "s2ur"))
OTHER_VALUES = {
    "all GPUs have it, with other values": _LATENCIES + (
        O + "shared_unit", O + "shared_reserved", O + "warp_interval", O + "block_replacement_delay", F + "l1_latency", I + "constant_miss_switch", I + "branch_latency",
        L + "tags_per_cycle", "sm.pipes.fma.lanes", "sm.pipes.adu.lanes", "sm.pipes.mma.fma_per_cycle", "sm.pipes.mma.fp64_fma_per_cycle", "sm.pipes.mma.latency_1688",
        "sm.pipes.mma.latency_16816", "sm.constant.indexed", "sm.constant.fixed_miss_latency", "sm.constant.ldc_pass",
        "sm.constant.ldc_interval", M + "membar_cta", M + "membar_gpu", M + "membar_sys",
        L + "pending_merges", L + "pending_requests", L + "detected_loss", "sm.tlb", "memory.l2_tlb", X + "reply_bytes_per_cycle", X + "slice_request_bytes_per_cycle",
        A + "ways", A + "dirty.ways", A + "interleave", A + "write_sector", A + "write_partial", A + "bytes_per_cycle", A + "pending_requests",
        A + "atomic_sector_latency", M + "texture_queue", M + "texture_places", M + "return_bytes_per_cycle", M + "thread_index_latency", "sm.shared.atomic_result", "memory.dram.tRTP", "launch.code_start", "sm.virtual_config",
        "sm.pipes.forwarding.queue", "sm.pipes.forwarding.guard"),
    "off on the H200": (I + "yield_interval", "sm.register_file.read_window", "sm.register_file.reuse_after_yield", L + "join_parts",
                        A + "atomic_lane_latency"),
    "time of the host, in no kernel's cycles": ("launch.overhead_cycles", "launch.event_cycles", "launch.stream_wait", "launch.copy_latency",
                                                "launch.copy_to_device", "launch.copy_to_host", "launch.device_copy_latency", "launch.device_copy",
                                                "launch.cached_copy", "launch.cached_copy_bytes", "launch.device_fill"),
    "part of another mechanism": (L + "sweep_masks",),
    "no cycle depends on it": (L + "join_misses",),
}
