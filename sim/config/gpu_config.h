// SPDX-License-Identifier: Apache-2.0
// All configurable values of a GPU, as plain structs. The meaning, key, unit and range of each member are in
// fields_*.cpp ('sassim config explain --all' prints them). The initialisers are the values of
// configs/generations/common.yaml; in groups that may be absent they switch the mechanism off. A test compares both.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/isa/opcode.h"

namespace sassim::config {

struct CacheGeometry {
  std::uint64_t size = 0;
  std::uint32_t line = 128;
  std::uint32_t ways = 4;
};

struct Clocks {
  std::uint64_t sm = 1380'000'000;
  std::uint64_t l2 = 1380'000'000;
  std::uint64_t dram = 877'000'000;
};

/// The limits on the number of blocks per SM.
struct Occupancy {
  std::uint32_t warps = 64, blocks = 32, threads = 2048;
  std::uint32_t registers = 65536;
  std::uint32_t register_unit = 256;
  std::uint32_t warp_unit = 4;
  std::uint64_t shared_unit = 256;
  std::uint64_t shared_reserved = 0;
  std::uint64_t shared_per_block = 98304;
  std::vector<std::uint64_t> carveouts{0, 8192, 16384, 32768, 65536, 98304};
  std::uint32_t carveout_room = 1;
  std::uint32_t block_replacement_delay = 0;
  std::uint32_t warp_start = 0;
  std::uint32_t block_launch_interval = 1;
  std::uint32_t warp_launch_interval = 0;
};

struct FrontEnd {
  CacheGeometry l0{12288, 128, 3};
  bool l0_shared = false;
  CacheGeometry l1{131072, 128, 8};
  std::uint32_t instruction_buffer = 3;
  std::uint32_t fetch_width = 1;
  std::uint32_t prefetch_entries = 8;
  std::uint32_t decode_latency = 1;
  std::uint32_t l0_latency = 1;
  std::uint32_t l1_latency = 30;
  std::uint32_t fill_cycles = 18;
  std::uint32_t constant_delay = 0;
  std::uint32_t l1_lookup = 0;
  std::uint32_t l1_pending_requests = 6;
  std::uint32_t constant_interval = 1;
  std::uint32_t constant_sharers = 1;
  std::uint32_t constant_skew = 0;
  bool perfect = false;
};

struct Issue {
  std::string scheduler = "greedy_youngest";
  std::uint32_t constant_miss_switch = 4;
  std::string dependence = "control_bits";
  std::uint32_t quirk_yield = 0, quirk_longest = 0, quirk_stall = 0;
  std::uint32_t yield_interval = 2;
  std::uint32_t branch_latency = 2;
  std::uint32_t indirect_latency = 0;
  std::uint32_t indirect_interval = 0;
  std::uint32_t sync_latency = 0;
  std::uint32_t give_way_latency = 0;
  std::uint32_t warp_sync_latency = 0;
  std::uint32_t warp_sync_interval = 1;
  std::uint32_t warp_join_latency = 0;
  std::uint32_t warp_join_interval = 1;
  bool full_warps = false, instant = false, open_barriers = false;
  std::uint32_t short_sleep_below = 0, short_sleep_takes = 0;
  bool threads_sleep = false;
  std::uint32_t exit_resolve = 0, exit_drain = 0;
};

struct RegisterFile {
  std::uint32_t banks = 2;
  std::uint32_t read_ports = 1;
  std::uint32_t read_window = 3;
  bool reuse_cache = true;
  bool reuse_lost_on_switch = true;
  bool reuse_after_yield = true;
  bool reuse_of_fp64 = false;
  std::uint32_t queued_read_delay = 0;
};

struct PipeConfig {
  std::uint32_t lanes = 16;
  bool shared_by_sm = false;
  std::uint32_t queue = 0;
};

struct OpConfig {
  std::string pipe = "alu";
  std::uint32_t latency = 4;
  std::uint32_t interval = 0;
};
/// By isa::OpClass.
using OpConfigs = std::array<OpConfig, static_cast<std::size_t>(isa::OpClass::count_)>;
/// Op classes of memory go to the unit of the SM that they have in configs/generations/common.yaml, others to the ALU.
OpConfigs default_ops();

/// Matrix instructions by shape. The interval is m * n * k / fma_per_cycle, scaled by the element width.
struct Tensor {
  std::uint32_t fma_per_cycle = 128;
  std::uint32_t latency_884 = 13, latency_1688 = 16, latency_16816 = 24;
  std::uint32_t latency_f32 = 0;
  std::uint32_t gmma_fma_per_cycle = 0;
};

/// MATCH.ANY handles the different values of the lanes one after the other: each takes the operation's interval, and
/// twice that for 64-bit values.
struct Match {
  std::uint32_t value_latency = 11;
  std::uint32_t wide_value_latency = 13;
};

struct Pipes {
  PipeConfig fma, alu, fp16, tensor, uniform, branch;
  PipeConfig fp64{8, false, 0}, xu{4, false, 0};
  PipeConfig mio{8, false, 4};
  PipeConfig adu{8, false, 4};
  Tensor mma;
  Match match;
  std::uint32_t second_pass = 0;
  std::uint32_t forwarding_other_pipe = 0, forwarding_queue = 0, forwarding_guard = 0;
  OpConfigs ops = default_ops();
};

struct ConstantCaches {
  CacheGeometry fixed{2048, 64, 4};
  CacheGeometry indexed{2048, 64, 4};
  CacheGeometry variable{2048, 64, 4};
  std::uint32_t fixed_miss_latency = 79;
  std::uint32_t ldc_latency = 27;
  std::uint32_t ldc_pass = 2;
  std::uint32_t ldc_interval = 2;
  std::uint32_t ldc_uniform = 3;
  std::uint32_t l15_latency = 89;
  std::uint32_t ldc_ahead = 0;
  bool perfect = false;
};

struct MemoryIo {
  std::uint32_t queue = 5;
  std::uint32_t address_interval = 4, shared_address_interval = 0;
  std::uint32_t accept_interval = 2;
  std::uint32_t pipeline = 9;
  std::uint32_t vector_address = 2;
  std::uint32_t vector_result = 1;
  std::uint32_t store_release = 1;
  std::uint32_t store_vector_release = 2;
  std::uint32_t store_bytes_per_cycle = 64;
  std::uint32_t return_bytes_per_cycle = 128;
  std::uint32_t async_release = 2;
  std::uint32_t async_latency = 7;
  std::uint32_t async_group_latency = 4;
  std::uint32_t async_group_tail = 0;
  std::uint32_t barrier_wake = 4;
  std::uint32_t barrier_wake_interval = 0;
  std::uint32_t barrier_serial = 0;
  std::uint32_t barrier_try_limit = 0;
  std::uint32_t bulk_latency = 4, bulk_interval = 1;
  std::uint32_t texture_latency = 59;
  std::uint32_t filter_latency = 21;
  std::uint32_t texture_queue = 4, texture_places = 128;
  std::uint32_t texture_lanes = 4, texture_narrow_lanes = 8;
  std::uint32_t stage_queue = 8;
  std::uint32_t adu_entries = 0, adu_interval = 1, adu_loads = 32, adu_lines = 1;
  std::uint32_t thread_index_interval = 0, thread_index_latency = 20;
  std::uint32_t membar_cta = 53, membar_gpu = 186, membar_sys = 2900;
  std::uint32_t membar_idle = 0;
  std::uint32_t membar_near = 0, membar_far = 0;
  std::uint32_t membar_interval = 0;
  std::uint32_t membar_beyond = 0;
};

struct L1Config {
  std::uint64_t size = 131072;
  std::uint32_t line = 128, sector = 32;
  std::uint32_t sets = 4;
  std::string set_hash = "modulo";
  std::string replacement = "priorities";
  std::vector<std::uint64_t> tag_masks{0xb7ab5, 0x1ed5da, 0x2a94, 0x1332, 0x3c58};
  std::vector<std::uint64_t> sweep_masks{0x0e9184, 0x1ab748, 0x08a938, 0x16ddb0, 0x03aec8, 0x0de5d4, 0x07ff14};
  std::uint32_t sweep_rows = 5;
  std::uint32_t hit_latency = 28;
  std::uint32_t bytes_per_cycle = 128;
  std::uint32_t tags_per_cycle = 4;
  std::uint32_t pending_requests = 512;
  std::uint32_t pending_sectors = 0;
  std::uint32_t pending_merges = 32;
  std::uint32_t miss_queue = 32;
  std::uint32_t miss_latency = 4;
  std::uint32_t join_misses = 0;
  std::uint32_t lines_save = 0;
  std::uint32_t fill_latency = 8;
  std::string write_policy = "allocate";
  std::string allocate = "fill";
  std::uint32_t store_lines = 0;
  std::uint32_t store_hold = 0;
  std::uint32_t store_interval = 0;
  bool join_parts = true;
  bool atomic_waves = false;
  std::uint32_t atomic_reply = 0;
  std::uint32_t detected_loss = 7168;
  bool perfect = false;
  bool coalesced = false;
};

struct SharedMemory {
  std::uint32_t banks = 32, bank_width = 4;
  bool bank_conflicts = true;
  std::uint32_t bytes_per_cycle = 128;
  std::uint32_t latency = 19;
  std::uint32_t pass_latency = 2;
  std::uint32_t matrix_latency = 2;
  /// Cycles for which an atomic blocks its warp's next access, for 1, 2, 4, 8, 16 and 32 lanes on one word.
  std::vector<std::uint64_t> atomic_hold{6, 7, 11, 18, 24, 66};
  std::uint32_t atomic_result = 8;
  std::uint32_t spin_delay = 5;
};

struct TlbConfig {
  std::uint32_t entries = 16;
  std::uint64_t page = 2u << 20;
  std::uint32_t ways = 0;
  std::uint32_t latency = 0;
  std::uint32_t ports = 1;
};

struct CrossbarConfig {
  std::uint32_t request_latency = 60;
  std::uint32_t reply_latency = 60;
  std::uint32_t request_bytes_per_cycle = 32;
  std::uint32_t reply_bytes_per_cycle = 80;
  std::uint32_t slice_request_bytes_per_cycle = 64;
  std::uint32_t slice_reply_bytes_per_cycle = 32;
  std::uint32_t flit = 32;
  std::uint32_t header = 8;
  std::uint32_t credits = 512;
  bool whole_store_header = true;
  std::uint32_t write_credits = 0;
  std::uint32_t far_latency = 0;
  std::uint32_t far_change_latency = 0, far_result_latency = 0;
  std::uint32_t far_bytes_per_cycle = 0;
  double sector_latency = 0;
  std::uint32_t spread = 0;
  std::uint32_t nearest = 0;
  std::vector<std::uint64_t> gpc_sms;
  std::vector<std::uint64_t> gpc_halves;
  std::uint32_t merge_window = 0;
  std::uint32_t merge_most = 4;
  bool merge_system = true;
  std::uint32_t merge_system_lines = 1;
  bool merge_split_copies = true;
};

struct L2Config {
  std::uint64_t size = 6u << 20;
  std::uint32_t slices = 64, ways = 16, line = 128, sector = 32;
  std::uint32_t partitions = 1;
  bool near_copies = true;
  bool hold_stores = false;
  bool end_barriers = false;
  std::string replacement = "lru";
  std::string hash = "mix";
  std::string set_hash = "fold";
  std::uint64_t page = 0;
  std::uint32_t interleave = 512;
  std::uint32_t group = 1;
  std::uint32_t group_interleave = 0;
  std::uint32_t half_interleave = 0;
  std::uint32_t fetch = 64;
  std::uint32_t dirty_ways = 0;
  std::uint32_t partial_ways = 0;
  bool reread_merged = false;
  std::uint32_t write_sector = 32;
  std::uint32_t write_partial = 32;
  std::uint32_t write_merge = 0, write_far_merge = 0, write_invalidation = 0;
  bool byte_masks = false;
  std::string write = "back";
  std::uint32_t latency = 45;
  std::uint32_t bytes_per_cycle = 32;
  std::uint32_t pending_requests = 128;
  std::uint32_t atomic_interval = 1;
  std::uint32_t atomic_latency = 18;
  std::uint32_t atomic_return = 0;
  double atomic_sector_latency = 2.6;
  double atomic_lane_latency = 1.65;
  double atomic_partial_interval = 0;
  double atomic_float_interval = 0;
  double atomic_turn = 0;
  double atomic_minimum = 1;
};

struct DramConfig {
  std::string model = "ddr";
  std::string type = "hbm2";
  std::uint32_t channels = 32, pseudo_channels = 2, bank_groups = 4, banks_per_group = 4;
  std::uint32_t bus_bits = 64;
  std::uint32_t burst = 4;
  std::uint32_t beats_per_clock = 2;
  std::uint32_t latency = 60;
  std::uint32_t fixed_latency = 200;
  std::string scheduler = "fr_fcfs";
  std::string row_policy = "open";
  std::uint32_t queue = 64;
  std::uint32_t write_queue = 64;
  std::uint32_t write_high = 48, write_low = 16;
  std::uint32_t write_stay = 0;
  std::uint32_t starvation_limit = 1000;
  std::string ecc = "none";
  std::string refresh = "all_bank";
  std::uint32_t tCL = 14, tRCD = 14, tRP = 14, tRAS = 34, tRC = 48, tWR = 16, tCCDS = 2, tCCDL = 2, tRRDS = 4,
                tRRDL = 6, tWTRS = 6, tWTRL = 8, tFAW = 30, tRTP = 6, tCWL = 4, tRFC = 260, tRFCpb = 100, tREFI = 3900,
                refresh_skew = 0;
  std::uint64_t row_bytes = 1024;
  std::string map = "row_bank_column";
};

struct Sm {
  std::uint32_t count = 80;
  std::uint32_t processing_blocks = 4;
  Occupancy occupancy;
  FrontEnd front_end;
  Issue issue;
  RegisterFile register_file;
  Pipes pipes;
  ConstantCaches constant;
  MemoryIo memory_io;
  SharedMemory shared;
  L1Config l1;
  TlbConfig tlb;
  std::string tlb_scope = "launch";
  TlbConfig gpc_tlb{0, 32u << 20, 0, 0, 1};
  std::uint32_t virtual_config = 0x48406020;
};

struct Memory {
  std::string model = "full";
  std::uint32_t fixed_latency = 400;
  TlbConfig l2_tlb{256, 32u << 20, 0, 0, 1};
  std::uint32_t page_walk_latency = 170;
  std::uint32_t page_walk_levels = 1;
  std::uint32_t page_walkers = 16;
  CrossbarConfig crossbar;
  L2Config l2;
  DramConfig dram;
  std::uint64_t bandwidth = 0;
  std::uint64_t size = 16ull << 30;
};

struct Launch {
  std::uint32_t overhead_cycles = 5000;
  std::uint32_t event_cycles = 0;
  std::uint32_t stream_wait = 0;
  std::uint32_t copy_latency = 0;
  std::uint64_t copy_to_device = 0;
  std::uint64_t copy_to_host = 0;
  std::uint32_t device_copy_latency = 0;
  std::uint64_t device_copy = 0, cached_copy = 0, cached_copy_bytes = 0;
  std::uint64_t device_fill = 0;
  std::uint32_t latency = 0;
  std::uint32_t places = 1, fetch_latency = 0, reuse_latency = 0;
  std::uint32_t flush = 0;
  std::uint32_t write_flush = 0;
  double write_flush_interval = 0;
  double sm_interval = 0;
  double block_retire_interval = 0;
  std::uint64_t code_start = 0xdde00;
  std::uint64_t code_prefetch = 128u << 10;
  std::uint64_t state_bytes = 0;
  std::uint32_t cold_code_delay = 0;
  std::vector<std::uint64_t> sm_ways;
  std::vector<std::uint64_t> sm_order;
  std::vector<std::uint64_t> group_sms;
  std::uint32_t first_group_turns = 0;
};

/// What the host, the driver, a profiler and other programs leave in the L2 and add to its counters.
struct Environment {
  std::uint64_t upload = 0;
  std::uint32_t upload_ways = 0;
  std::uint64_t upload_inline = 0;
  std::uint64_t others_written = 0;
  bool others_full = false;
  std::uint64_t flushed = 0, profiled = 0, profiled_written = 0, profiled_each = 0;
  std::uint32_t profiled_hits = 0, background_writes = 0;
  std::uint32_t launch_barriers = 0, launch_sectors = 0, launch_gpc_sectors = 0;
  std::uint32_t cold_sectors = 0, cold_gpc_sectors = 0;
};

struct GpuConfig {
  std::string name = "default";
  std::string modified;
  std::string description;
  int arch = 70;
  Clocks clock;
  Sm sm;
  Memory memory;
  Launch launch;
  Environment environment;
};

}  // namespace sassim::config
