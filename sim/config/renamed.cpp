// SPDX-License-Identifier: Apache-2.0
// The tables of renamed and removed keys, so that older configurations load or are told what to change.
#include "sim/config/renamed.h"

#include <algorithm>

namespace sassim::config {

namespace {

struct Renamed {
  std::string_view before, now;
};

constexpr Renamed kRenamed[] = {
    {"sm.front_end.constant_interval", "sm.front_end.gpc_constants.interval"},
    {"sm.front_end.constant_sharers", "sm.front_end.gpc_constants.sharers"},
    {"sm.front_end.constant_skew", "sm.front_end.gpc_constants.skew"},
    {"sm.issue.indirect_latency", "sm.issue.indirect.latency"},
    {"sm.issue.indirect_interval", "sm.issue.indirect.interval"},
    {"sm.issue.warp_sync_latency", "sm.issue.warp_sync.latency"},
    {"sm.issue.warp_sync_interval", "sm.issue.warp_sync.interval"},
    {"sm.issue.warp_join_latency", "sm.issue.warp_join.latency"},
    {"sm.issue.warp_join_interval", "sm.issue.warp_join.interval"},
    {"sm.memory_io.membar_idle", "sm.memory_io.membar_l2.idle"},
    {"sm.memory_io.membar_near", "sm.memory_io.membar_l2.near"},
    {"sm.memory_io.membar_far", "sm.memory_io.membar_l2.far"},
    {"sm.memory_io.membar_beyond", "sm.memory_io.membar_l2.host"},
    {"sm.l1.store_lines", "sm.l1.store_gather.lines"},
    {"sm.l1.store_hold", "sm.l1.store_gather.hold"},
    {"memory.crossbar.merge_window", "memory.crossbar.merge.window"},
    {"memory.crossbar.merge_most", "memory.crossbar.merge.most"},
    {"memory.crossbar.merge.copies", "memory.crossbar.merge.split_copies"},
    {"memory.crossbar.far_latency", "memory.halves.latency"},
    {"memory.crossbar.far_bytes_per_cycle", "memory.halves.bytes_per_cycle"},
    {"memory.crossbar.gpc_halves", "memory.halves.gpcs"},
    {"memory.l2.partitions", "memory.halves.parts"},
    {"memory.l2.near_copies", "memory.halves.near_copies"},
    {"memory.l2.half_interleave", "memory.halves.span"},
    {"memory.l2.group_interleave", "memory.l2.group.span"},
    {"memory.l2.dirty_ways", "memory.l2.dirty.ways"},
    {"memory.l2.partial_ways", "memory.l2.dirty.partial_ways"},
    {"memory.l2.upload", "environment.upload"},
    {"memory.l2.upload_ways", "environment.upload_ways"},
    {"memory.l2.upload_inline", "environment.upload_inline"},
    {"memory.l2.flushed", "environment.flushed"},
    {"memory.l2.profiled", "environment.profiled"},
    {"memory.l2.profiled_written", "environment.profiled_written"},
    {"memory.l2.profiled_each", "environment.profiled_each"},
    {"memory.l2.profiled_hits", "environment.profiled_hits"},
    {"memory.l2.others_written", "environment.others_written"},
    {"memory.l2.full", "environment.others_full"},
    {"memory.l2.background_writes", "environment.background_writes"},
    {"memory.l2.launch_barriers", "environment.launch_barriers"},
    {"memory.l2.launch_sectors", "environment.launch_sectors"},
    {"memory.l2.launch_gpc_sectors", "environment.launch_gpc_sectors"},
    {"memory.l2.cold_sectors", "environment.cold_sectors"},
    {"memory.l2.cold_gpc_sectors", "environment.cold_gpc_sectors"},
};

/// Keys that are gone, and why.
constexpr Renamed kRemoved[] = {
    {"sm.front_end.decode_latency", "sm.front_end.l0_latency ends with decoding"},
    {"sm.issue.short_sleep", "it moved no program"},
    {"sm.issue.short_sleep.below", "it moved no program"},
    {"sm.issue.short_sleep.takes", "it moved no program"},
    {"sm.pipes.ops.load_const.latency", "the unit that executes it decides"},
    {"sm.pipes.ops.load_const.interval", "the unit that executes it decides"},
    {"sm.pipes.ops.load.latency", "the unit that executes it decides"},
    {"sm.pipes.ops.load.interval", "the unit that executes it decides"},
    {"sm.pipes.ops.store.latency", "the unit that executes it decides"},
    {"sm.pipes.ops.store.interval", "the unit that executes it decides"},
    {"sm.pipes.ops.load_shared.latency", "the unit that executes it decides"},
    {"sm.pipes.ops.load_shared.interval", "the unit that executes it decides"},
    {"sm.pipes.ops.store_shared.latency", "the unit that executes it decides"},
    {"sm.pipes.ops.store_shared.interval", "the unit that executes it decides"},
    {"sm.pipes.ops.atomic.latency", "the unit that executes it decides"},
    {"sm.pipes.ops.atomic.interval", "the unit that executes it decides"},
    {"sm.pipes.ops.reduction.latency", "the unit that executes it decides"},
    {"sm.pipes.ops.reduction.interval", "the unit that executes it decides"},
    {"sm.pipes.ops.atomic_shared.latency", "the unit that executes it decides"},
    {"sm.pipes.ops.atomic_shared.interval", "the unit that executes it decides"},
    {"sm.pipes.ops.async_copy.latency", "the unit that executes it decides"},
    {"sm.pipes.ops.async_copy.interval", "the unit that executes it decides"},
    {"sm.pipes.ops.texture.latency", "the unit that executes it decides"},
    {"sm.pipes.ops.texture.interval", "the unit that executes it decides"},
    {"sm.pipes.ops.nop.latency", "the unit that executes it decides"},
    {"sm.pipes.ops.nop.interval", "the unit that executes it decides"},
    {"sm.tlb.ports", "no GPU differs in it"},
    {"memory.l2_tlb.ports", "no GPU differs in it"},
    {"sm.gpc_tlb.ports", "no GPU differs in it"},
    {"memory.page_walk_levels", "no GPU differs in it"},
    {"memory.l2.atomic_interval", "no GPU differs in it"},
    {"memory.l2.sector", "sectors of the L2 are 32 bytes"},
    {"sm.memory_io.bulk_latency", "UBLKCP takes as long as other copies"},
    {"sm.occupancy.block_launch_interval", "it moved no program by 1 %"},
    {"sm.occupancy.block_refill_interval", "it moved no program by 1 %"},
    {"sm.occupancy.warp_launch_interval", "sm.occupancy.warp_interval places one warp after another"},
    {"sm.occupancy.warp_refill_interval", "it moved no program by 1 %"},
    {"launch.sm_ways", "sm.occupancy.block_replacement_delay has the average of the SMs"},
    {"sm.l1.pending_sectors", "it moved no program by 1 %"},
    {"sm.memory_io.async_group_latency", "LDGDEPBAR takes sm.pipes.ops.async_wait.latency"},
    {"sm.memory_io.async_group_tail", "it moved no program"},
    {"sm.l1.atomic_reply", "it moved no program"},
    {"sm.memory_io.bulk_interval", "it moved no program"},
    {"sm.pipes.mma.gmma_fma_per_cycle", "no program here has WGMMA"},
    {"sm.register_file.reuse_of_fp64", "it moved no program"},
    {"memory.halves.store_merge", "memory.halves.mask_bytes is what such a store takes longer"},
    {"memory.halves.invalidation", "memory.halves.invalidation_interval has it in L2 cycles, for one line"},
    {"memory.l2.code_by_gpc", "it follows from sm.front_end.gpc_constants"},
};

bool is_ending(std::string_view path, std::string_view key) {
  return path == key || (path.size() > key.size() && path.ends_with(key) && path[path.size() - key.size() - 1] == '.');
}

}  // namespace

std::string_view new_name_of(std::string_view key) {
  const auto found = std::find_if(std::begin(kRenamed), std::end(kRenamed),
                                  [&](const Renamed& one) { return is_ending(one.before, key); });
  return found == std::end(kRenamed) ? std::string_view() : found->now;
}

std::string_view new_path_of(std::string_view path) {
  const auto found =
      std::find_if(std::begin(kRenamed), std::end(kRenamed), [&](const Renamed& one) { return one.before == path; });
  return found == std::end(kRenamed) ? std::string_view() : found->now;
}

std::string_view why_removed(std::string_view key) {
  const auto found = std::find_if(std::begin(kRemoved), std::end(kRemoved),
                                  [&](const Renamed& one) { return is_ending(one.before, key); });
  return found == std::end(kRemoved) ? std::string_view() : found->now;
}

}  // namespace sassim::config
