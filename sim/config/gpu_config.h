// SPDX-License-Identifier: Apache-2.0
// Everything a YAML file can say about a GPU, as plain structs. The key of each member, its unit, range and meaning are
// in fields_*.cpp, which parsing, checking, dumping and the documentation all walk.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/isa/opcode.h"

namespace sassim::config {

struct CacheGeometry {
  std::uint64_t size = 0;  ///< bytes; any value that is a whole number of lines per way
  std::uint32_t line = 128;
  std::uint32_t ways = 4;
};

struct Clocks {  // Hz
  std::uint64_t sm = 1380'000'000;
  std::uint64_t l2 = 1380'000'000;   ///< crossbar and L2
  std::uint64_t dram = 877'000'000;  ///< command clock
};

/// What decides how many blocks fit an SM.
struct Occupancy {
  std::uint32_t warps = 64, blocks = 32, threads = 2048;
  std::uint32_t registers = 65536;
  std::uint32_t register_unit = 256;  ///< registers are allocated per warp in these units
  std::uint32_t warp_unit = 4;        ///< registers are there for a multiple of this many warps
  std::uint64_t shared_unit = 256;    ///< bytes
  std::uint64_t shared_reserved = 0;  ///< bytes the system takes per block
  std::uint64_t shared_per_block = 98304;
  std::vector<std::uint64_t> carveouts{0, 8192, 16384, 32768, 65536, 98304};  ///< possible sizes of shared memory
  std::uint32_t carveout_room = 1;            ///< the driver's choice holds so many times the blocks that fit
  std::uint32_t block_replacement_delay = 0;  ///< cycles from a block's end to the first instruction of the next
  std::uint32_t warp_start = 0;               ///< cycles from a warp's placement to its first fetch
  std::uint32_t block_launch_interval = 1;    ///< cycles between block placements on one SM
  std::uint32_t warp_launch_interval = 0;     ///< more of them for every warp of the block
  std::uint32_t block_refill_interval = 0;    ///< the same for blocks that take the place of ended ones
  std::uint32_t warp_refill_interval = 0;     ///< more of them for every warp of the block
};

struct FrontEnd {
  CacheGeometry l0{12288, 128, 4};
  bool l0_shared = false;                ///< every L0 of an SM holds what one of them has fetched
  CacheGeometry l1{131072, 128, 8};      ///< the SM's L1 instruction cache, also the L1.5 constant cache
  std::uint32_t instruction_buffer = 3;  ///< entries per warp
  std::uint32_t fetch_width = 1;         ///< instructions that one fetch brings
  std::uint32_t prefetch_entries = 8;    ///< stream buffer of the L0; 0: no prefetch
  std::uint32_t decode_latency = 1;
  std::uint32_t l0_latency = 1;
  std::uint32_t l1_latency = 30;          ///< L0 miss to instruction, when the L1 hits
  std::uint32_t fill_cycles = 18;         ///< that 128 bytes take from the L1 to the L0 of one processing block
  std::uint32_t constant_delay = 0;       ///< what a constant from beyond the L1.5 takes longer than code
  std::uint32_t l1_lookup = 0;            ///< part of an L1 hit's latency that what comes from the L2 does not take
  std::uint32_t l1_pending_requests = 6;  ///< 128-byte lines that the L1 may have asked the L2 for
  std::uint32_t l1_pending_release = 0;   ///< cycles from such a line's coming until another may be asked for
  std::uint32_t constant_interval = 1;    ///< cycles that a constant's line keeps the L1 from its next lookup
  std::uint32_t constant_sharers = 1;     ///< SMs that share these lookups
  std::uint32_t constant_skew = 0;        ///< cycles from one pair of these SMs to the next, for its first lines
  bool perfect = false;                   ///< every fetch hits
};

struct Issue {
  std::string scheduler = "greedy_youngest";
  std::uint32_t constant_miss_switch = 4;   ///< cycles before another warp is tried
  std::string dependence = "control_bits";  ///< or scoreboard
  bool stall_quirks = true;                 ///< stall above 11 without yield acts as 2; stall 0 with yield as 45
  std::uint32_t yield_interval = 2;         ///< cycles from an instruction that yields to the warp's next, at least
  std::uint32_t branch_latency = 2;         ///< cycles from a taken branch's issue to the fetch of its target
  std::uint32_t indirect_latency = 0;       ///< the same for an address in a register, returns too; 0: no difference
  std::uint32_t indirect_interval = 0;      ///< from one such branch to the next, of all warps of the SM
  std::uint32_t sync_latency = 0;           ///< from BSYNC's issue to the fetch of what follows; 0: fetch goes on
  std::uint32_t give_way_latency = 0;    ///< to the fetch for threads that have yielded (YIELD), when their turn comes
  std::uint32_t warp_sync_latency = 0;   ///< of WARPSYNC, for each different mask of its threads
  std::uint32_t warp_sync_interval = 1;  ///< from one such mask to the next, of all warps of the SM
  std::uint32_t warp_join_latency = 0;   ///< of WARPSYNC.ALL to which threads came in groups; 0: none
  std::uint32_t warp_join_interval = 1;  ///< from one such to the next, of all warps of the SM
};

struct RegisterFile {
  std::uint32_t banks = 2;
  std::uint32_t read_ports = 1;   ///< 32-lane operands per bank and cycle
  std::uint32_t read_window = 3;  ///< cycles that a fixed-latency instruction has for its reads
  bool reuse_cache = true;
  bool reuse_lost_on_switch = true;  ///< an instruction of another warp empties the reuse cache
  bool reuse_after_yield = true;     ///< reuse bits hold behind an instruction that yields
  bool queued_reads = false;         ///< instructions for the queues take ports from what follows
};

struct PipeConfig {
  std::uint32_t lanes = 16;   ///< per processing block; the initiation interval is 32 / lanes
  bool shared_by_sm = false;  ///< one unit for all four blocks (T4's FP64): lanes are then per SM
  std::uint32_t queue = 0;    ///< instructions of a block that may wait in front of the unit; 0: none
};

/// One entry per isa::OpClass.
struct OpConfig {
  std::string pipe = "alu";       ///< a key of `pipes`
  std::uint32_t latency = 4;      ///< dependent-issue latency in cycles (variable: minimum through the pipe)
  std::uint32_t interval = 0;     ///< initiation interval; 0: the pipe's 32 / lanes
  std::uint32_t pair_result = 0;  ///< cycles of the interval more when the result is in two registers
};

/// Matrix instructions by shape. The interval is m * n * k / fma_per_cycle, scaled by the width of an element.
struct Tensor {
  std::uint32_t fma_per_cycle = 128;  ///< FP16 multiply-adds per processing block and cycle
  std::uint32_t latency_884 = 13, latency_1688 = 22, latency_16816 = 27;  ///< accumulating in FP16
  std::uint32_t latency_f32 = 0;                                          ///< added when accumulating in FP32
  std::uint32_t interval_1688 = 0;                                        ///< of HMMA.1688 on FP16; 0: by fma_per_cycle
  std::uint32_t interval_sparse = 0;     ///< of sparse ones with the longest rows; 0: by fma_per_cycle
  std::uint32_t gmma_fma_per_cycle = 0;  ///< for warp-group instructions; 0: as fma_per_cycle
};

/// MATCH.ANY finds one value of the lanes after the other: each takes the operation's interval, twice if of 64 bits.
struct Match {
  std::uint32_t value_latency = 11;       ///< for each value beyond the first
  std::uint32_t wide_value_latency = 13;  ///< for each value of 64 bits
};

struct Pipes {
  PipeConfig fma, alu, fp16, fp64, xu, tensor, uniform, branch;
  PipeConfig mio{8, false, 4};  ///< shuffles, barriers: what shares the way to the SM's memory stage
  PipeConfig adu{8, false, 4};  ///< special registers
  Tensor mma;
  Match match;
  std::array<OpConfig, static_cast<std::size_t>(isa::OpClass::count_)> ops;
};

struct ConstantCaches {
  CacheGeometry fixed{2048, 64, 4};       ///< operands of fixed-latency instructions
  CacheGeometry indexed{2048, 64, 4};     ///< ULDC through a register
  CacheGeometry variable{2048, 64, 4};    ///< LDC
  std::uint32_t fixed_miss_latency = 79;  ///< an operand that is only in the L1.5
  std::uint32_t ldc_latency = 27;
  std::uint32_t ldc_pass = 2;      ///< cycles per further distinct word of one LDC
  std::uint32_t ldc_interval = 2;  ///< cycles that a word keeps the cache from the next LDC
  std::uint32_t ldc_uniform = 3;   ///< what an LDC saves whose address is the same for all lanes by its form
  std::uint32_t l15_latency = 89;
  std::uint32_t ldc_ahead = 0;  ///< LDCs behind one whose line is missing for which lines are asked meanwhile
};

struct MemoryIo {
  std::uint32_t queue = 5;                     ///< instructions per processing block (latch included)
  std::uint32_t address_interval = 4;          ///< cycles per instruction in a block's address stage
  std::uint32_t accept_interval = 2;           ///< cycles between acceptances by the SM-shared stage
  std::uint32_t pipeline = 9;                  ///< cycles from issue to the SM-shared stage, unloaded
  std::uint32_t vector_address = 2;            ///< added for global addresses that come from vector registers
  std::uint32_t vector_result = 1;             ///< of a load's latency, what a uniform address saves beyond the above
  std::uint32_t store_release = 1;             ///< cycles from acceptance until a 32-bit store has read its data
  std::uint32_t store_vector_release = 2;      ///< added to that when the address comes from vector registers
  std::uint32_t store_bytes_per_cycle = 64;    ///< store data out of the register file
  std::uint32_t return_bytes_per_cycle = 128;  ///< load data into the register file
  std::uint32_t async_release = 2;             ///< LDGSTS: cycles from acceptance until the addresses have been read
  std::uint32_t async_latency = 7;             ///< LDGSTS: what it takes beyond a load that hits
  std::uint32_t texture_latency = 59;   ///< cycles from the texture unit to the L1, texels of linear memory
  std::uint32_t filter_latency = 21;    ///< added to that for textures with coordinates and filters
  std::uint32_t texture_queue = 32;     ///< instructions that are on this way
  std::uint32_t stage_queue = 8;  ///< instructions that wait in front of the tags, cycles in front of the data
  std::uint32_t membar_cta = 53, membar_gpu = 186, membar_sys = 2900;  ///< after all earlier accesses are done
  std::uint32_t membar_idle = 0;                  ///< asking the L2 where the SM has stored nothing
  std::uint32_t membar_near = 0, membar_far = 0;  ///< asking the L2 slices that the SM has stored to, if it has
  std::uint32_t membar_beyond = 0;                ///< asking beyond the GPU, meanwhile
};

struct L1Config {
  std::uint64_t size = 131072;  ///< the whole array; shared memory is carved out of it
  std::uint32_t line = 128, sector = 32;
  std::uint32_t sets = 4;
  std::string set_hash = "modulo";  ///< or mix: lines are spread over the sets as by chance; or banks
  std::string replacement = "volta";
  std::uint32_t hit_latency = 28;
  std::uint32_t bytes_per_cycle = 128;
  std::uint32_t tags_per_cycle = 4;
  std::uint32_t pending_requests = 512;   ///< lines that may be outstanding
  std::uint32_t pending_sectors = 0;      ///< sectors that may be outstanding; 0: those of all the lines
  std::uint32_t pending_merges = 32;      ///< instructions that may wait for one line
  std::uint32_t set_aside = 0;            ///< instructions without such a place that others may pass
  std::uint32_t miss_queue = 32;          ///< requests on their way to the crossbar
  std::uint32_t miss_latency = 4;         ///< cycles from the tag lookup to the crossbar port
  std::uint32_t lines_save = 0;           ///< of them, what a load of several lines saves
  std::uint32_t fill_latency = 8;         ///< cycles from a reply to the issue of a dependent instruction
  std::string write_policy = "allocate";  ///< or no_allocate; the L1 always writes through
  std::string allocate = "fill";          ///< when a line that a load wants gets its place; or miss
  std::uint32_t store_lines = 0;          ///< lines in which stores gather on their way out; 0: each leaves alone
  std::uint32_t store_hold = 0;           ///< cycles for which such a line waits for more
  std::uint32_t store_interval = 0;       ///< cycles of the tag stage for each line of a store; 0: as loads
  bool atomic_waves = false;              ///< lanes of an atomic on one word leave as separate requests
  std::uint32_t atomic_reply = 0;         ///< cycles that an atomic that wants a reply takes on its way out
  std::uint32_t detected_loss = 7168;     ///< bytes of the carve-out that a pointer chase cannot use
  bool perfect = false;                   ///< every load hits
};

struct SharedMemory {
  std::uint32_t banks = 32, bank_width = 4;
  bool bank_conflicts = true;           ///< lanes with different words of one bank take turns
  std::uint32_t bytes_per_cycle = 128;  ///< of the data stage, which L1 hits share
  std::uint32_t latency = 19;
  std::uint32_t pass_latency = 2;    ///< added to the latency per pass beyond the first (one cycle of the data stage)
  std::uint32_t matrix_latency = 2;  ///< LDSM: added per matrix beyond the first
  /// Cycles for which an atomic keeps its warp's next access out, by 1, 2, 4, 8, 16 and 32 lanes on one word.
  std::vector<std::uint64_t> atomic_hold{6, 7, 11, 18, 24, 66};
  std::uint32_t atomic_result = 8;  ///< what an atomic's result takes longer than a load's
};

struct TlbConfig {
  std::uint32_t entries = 16;
  std::uint64_t page = 2u << 20;
  std::uint32_t ways = 0;  ///< 0: fully associative
  std::uint32_t latency = 0;
  std::uint32_t ports = 1;
};

struct CrossbarConfig {
  std::uint32_t request_latency = 60;          ///< SM cycles, unloaded, SM to slice
  std::uint32_t reply_latency = 60;            ///< SM cycles, unloaded, slice to SM
  std::uint32_t request_bytes_per_cycle = 32;  ///< per SM port, SM cycles
  std::uint32_t reply_bytes_per_cycle = 64;
  std::uint32_t slice_request_bytes_per_cycle = 64;  ///< per slice port, L2 cycles
  std::uint32_t slice_reply_bytes_per_cycle = 32;
  std::uint32_t flit = 32;          ///< bytes; packets are padded to whole flits
  std::uint32_t header = 8;         ///< bytes of a packet besides its payload
  std::uint32_t credits = 512;      ///< per SM: requests that no slice has taken up yet
  bool whole_store_header = true;   ///< stores of whole sectors have a header, too
  std::uint32_t write_credits = 0;  ///< per SM: sectors of stores and atomics that no slice has taken up yet; 0: any
  std::uint32_t far_latency = 70;   ///< SM cycles between the halves, each way, where the chip has two
  std::uint32_t far_bytes_per_cycle = 0;  ///< data from a slice to the other half, per L2 cycle; 0: any
  double sector_latency = 0;              ///< SM cycles for each sector of a reply beyond the first
  std::uint32_t spread = 0;               ///< SM cycles, each way, that an SM's farthest slice is beyond its nearest
  std::uint32_t nearest = 0;              ///< the slice that is nearest to the first GPC
  std::vector<std::uint64_t> gpc_sms;     ///< SMs of each GPC, as they follow each other in launch.sm_order
  std::vector<std::uint64_t> gpc_halves;  ///< the half that each GPC is at
  std::uint32_t merge_window =
      0;                         ///< SM cycles in which loads of the same sectors by SMs of a GPC become one; 0: never
  std::uint32_t merge_most = 4;  ///< loads that become one at most
};

struct L2Config {
  std::uint64_t size = 6u << 20;
  std::uint32_t slices = 64, ways = 16, line = 128, sector = 32;
  std::uint32_t partitions = 1;  ///< 2: near and far halves
  bool near_copies = true;       ///< a half keeps copies of the other half's lines that its SMs read
  std::uint64_t upload = 0;      ///< bytes that a copy from the host leaves here
  std::uint64_t flushed = 0;     ///< bytes of others that wait here to be written once caches were emptied
  std::string replacement = "lru";
  std::string hash = "mix";              ///< chooses the slice
  std::string set_hash = "fold";         ///< chooses the set within a slice
  std::uint64_t page = 0;                ///< whose lines begin at any set; 0: as the addresses say
  std::uint32_t interleave = 512;        ///< neighbouring bytes that stay in one slice
  std::uint32_t group = 1;               ///< slices that take turns within a stretch of addresses
  std::uint32_t group_interleave = 0;    ///< bytes of such a stretch; 0: one turn
  std::uint32_t half_interleave = 0;     ///< neighbouring bytes at home in one half; 0: as they fall to the slices
  std::uint32_t fetch = 64;              ///< bytes that a missing sector brings from DRAM
  std::uint32_t dirty_ways = 0;          ///< lines of a set that may wait to be written back; 0: all
  std::uint32_t partial_ways = 0;        ///< of them lines with sectors that were written in part; 0: all
  std::uint32_t write_sector = 32;       ///< bytes of the data array's time that a written sector takes
  std::uint32_t write_partial = 32;      ///< the same where only a part of the sector is written
  std::uint32_t write_merge = 0;         ///< the same at least for a request that writes parts of sectors
  bool byte_masks = false;               ///< sectors that stores write part by part become whole
  std::string write = "back";            ///< or through
  std::uint32_t latency = 45;            ///< L2 cycles through a slice on a hit
  std::uint32_t bytes_per_cycle = 32;    ///< of a slice's data array
  std::uint32_t pending_requests = 128;  ///< lines with fills under way, per slice
  std::uint32_t atomic_interval = 1;     ///< L2 cycles of the atomic unit per sector
  std::uint32_t atomic_latency = 24;     ///< L2 cycles that an atomic takes longer than a load
  std::uint32_t atomic_return = 0;       ///< L2 cycles that its old value takes longer than a load's data
  double atomic_sector_latency = 2.6;    ///< and in addition for each of its sectors
  double atomic_lane_latency = 1.65;     ///< and for each lane on its busiest address
  double atomic_partial_interval = 0;    ///< the same where some words of the sector change; 0: as whole ones
  double atomic_float_interval = 0;      ///< from one floating-point operation on a sector to the next
  double atomic_turn = 0;     ///< from one operation on a line to the next, if not the same directly behind it
  double atomic_minimum = 1;  ///< L2 cycles of the atomic unit per request for a line not used lately
};

struct DramConfig {
  std::string model = "ddr";  ///< or fixed
  std::string type = "hbm2";
  std::uint32_t channels = 32, pseudo_channels = 2, bank_groups = 4, banks_per_group = 4;
  std::uint32_t bus_bits = 64;        ///< per (pseudo) channel
  std::uint32_t burst = 4;            ///< beats per column command
  std::uint32_t beats_per_clock = 2;  ///< of the command clock: HBM2 2, HBM3 4, GDDR6 8
  std::uint32_t latency = 60;         ///< L2 cycles in controller and PHY, both ways together, besides the timings
  std::uint32_t fixed_latency = 200;  ///< command clock cycles, of the fixed model
  std::string scheduler = "fr_fcfs";
  std::string row_policy = "open";                ///< or closed: a row that nothing queued wants is closed at once
  std::uint32_t queue = 64;                       ///< reads that the scheduler chooses from, per pseudo channel
  std::uint32_t write_queue = 64;                 ///< and writes
  std::uint32_t write_high = 48, write_low = 16;  ///< queued writes at which draining starts and ends
  std::uint32_t write_stay = 0;                   ///< cycles that a channel stays with writes at least
  std::uint32_t starvation_limit = 1000;  ///< command clock cycles after which younger row hits no longer go first
  std::string ecc = "none";          ///< check bits: none (or on lines of their own), inline (a burst more per access)
  std::string refresh = "per_bank";  ///< or all_bank, none
  // command clock cycles
  std::uint32_t tCL = 14, tRCD = 14, tRP = 14, tRAS = 34, tRC = 48, tWR = 16, tCCDS = 2, tCCDL = 2, tRRDS = 4,
                tRRDL = 6, tWTRS = 6, tWTRL = 8, tFAW = 30, tRTP = 6, tCWL = 4, tRFC = 260, tRFCpb = 100, tREFI = 3900;
  std::uint64_t row_bytes = 1024;       ///< per pseudo channel
  std::string map = "row_bank_column";  ///< order of the address's parts, highest first; or row_column_bank
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
  TlbConfig gpc_tlb{0, 32u << 20, 0, 0, 1};
};

struct Memory {
  std::string model = "full";  ///< or fixed: one latency beyond the SM
  std::uint32_t fixed_latency = 400;
  TlbConfig l2_tlb{256, 32u << 20, 0, 0, 1};
  std::uint32_t page_walk_latency = 170;  ///< SM cycles of a walk besides its loads
  std::uint32_t page_walk_levels = 1;     ///< dependent loads of a walk, through L2 and DRAM
  std::uint32_t page_walkers = 16;        ///< walks under way at once
  CrossbarConfig crossbar;
  L2Config l2;
  DramConfig dram;
  std::uint64_t size = 16ull << 30;
};

struct Launch {
  std::uint32_t overhead_cycles = 5000;  ///< the host's time for a launch, reported apart
  std::uint32_t event_cycles = 0;        ///< the host's time for recording an event
  std::uint32_t latency = 0;             ///< SM cycles in which a kernel is elapsing but no block is on an SM
  std::uint32_t flush = 0;               ///< the part of it after the last block, which hides stores under way
  std::uint32_t write_flush = 0;         ///< SM cycles at the end of a kernel that wrote to memory
  double write_flush_interval = 0;       ///< more of them for every further SM that wrote
  double sm_interval = 0;                ///< SM cycles from the first block of one SM to that of the next
  double block_retire_interval = 0;      ///< SM cycles between two ended blocks, of the whole GPU
  std::uint64_t code_prefetch = 0;       ///< bytes of code that a launch brings to the second-level instruction cache
  std::uint64_t state_bytes = 0;         ///< bytes that a launch reads beyond that
  std::uint32_t cold_code_delay = 0;     ///< SM cycles from the first blocks on until code from DRAM is there
  std::vector<std::uint64_t> sm_ways;    ///< SM cycles that each SM hears later of its next block than the nearest
  std::vector<std::uint64_t> sm_order;   ///< SMs in the order that gets the first blocks; the others follow by number
  std::vector<std::uint64_t> group_sms;  ///< SMs of each group of that order, whose turns are one after the other
  std::uint32_t first_group_turns = 0;   ///< turns of other groups between two of the first; 0: it is as the others
};

struct GpuConfig {
  std::string name = "default";
  std::string description;
  int arch = 70;  ///< 70 for sm_70
  Clocks clock;
  Sm sm;
  Memory memory;
  Launch launch;
};

}  // namespace sassim::config
