// SPDX-License-Identifier: Apache-2.0
// run(): executes a launch in the plain order. The emulator's outer loops, over the blocks of a grid and the warps of a
// block.
#include <fmt/format.h>

#include <algorithm>

#include "sim/base/default_float.h"
#include "sim/emu/core/block.h"
#include "sim/emu/core/builtins.h"
#include "sim/emu/core/cluster.h"
#include "sim/emu/core/machine.h"
#include "sim/emu/core/memory_check.h"
#include "sim/emu/core/run_apart.h"
#include "sim/emu/core/run_warp.h"
#include "sim/emu/core/standstill.h"
#include "sim/emu/order/sharing_watch.h"

namespace sassim::emu {
namespace {

constexpr std::uint64_t kShortTurn = std::uint64_t{1} << 12;
constexpr std::uint64_t kResidentBytes = std::uint64_t{1} << 29;

class GridRunner {
 public:
  explicit GridRunner(Grid& grid)
      : grid_(grid),
        cluster_(cluster_blocks(*grid.launch)),
        count_(grid.launch->grid.count() / std::max<std::uint64_t>(cluster_, 1)),
        limit_(resident_limit()),
        standstill_(grid.launch->watchdog) {}

  void run() {
    run_in_turns();
    grid_.result.warp_instructions = counters_.warp_instructions;
    grid_.result.thread_instructions = counters_.thread_instructions;
  }

 private:
  /// Another block, or cluster, can begin beside those that have not ended.
  bool has_room() const { return next_ < count_ && (grid_.launch->cooperative || blocks_.size() < limit_); }

  void run_in_turns() {
    while (next_ < count_ || !blocks_.empty()) {
      const std::uint64_t before = counters_.warp_instructions;
      if (grid_.launch->cooperative)
        while (next_ < count_) begin(next_++);
      else if (has_room())
        cluster_ != 0 ? begin(next_++) : start_and_try(next_++);
      visit_all();
      if (counters_.warp_instructions == before && !has_room())
        throw stuck(*grid_.kernel, "is deadlocked: every thread waits at a barrier", resident());
    }
  }

  std::vector<const Block*> resident() const {
    std::vector<const Block*> all;
    for (const auto& block : blocks_) all.push_back(block.get());
    return all;
  }

  std::uint64_t resident_limit() const {
    if (grid_.launch->resident_blocks != 0) return grid_.launch->resident_blocks;
    // About as many as the largest GPU holds, as long as their registers fit in kResidentBytes.
    const std::uint64_t warps = (grid_.launch->block.count() + 31) / 32;
    const std::uint64_t bytes = warps * grid_.program->registers * sizeof(Lanes) + grid_.shared_bytes;
    return std::clamp<std::uint64_t>(kResidentBytes / bytes, 16, 4096);
  }

  /// Block `next`, or the blocks of cluster `next`.
  void begin(std::uint64_t next) {
    if (cluster_ == 0) return start(next);
    const auto cluster = std::make_shared<Cluster>();
    for (std::uint32_t rank = 0; rank < cluster_; ++rank) {
      start(block_of_cluster(*grid_.launch, next, rank).value);
      Block& block = *blocks_.back();
      block.cluster = cluster;
      block.rank = rank;
      cluster->blocks.push_back(&block);
      cluster->shared.push_back({block.shared.data(), block.shared.size()});
    }
  }

  void start(std::uint64_t id) {
    ++grid_.changes;
    blocks_.push_back(make_block(grid_, BlockId(id)));
    if (grid_.options->recorder) grid_.options->recorder->block_started(BlockId(id), blocks_.back()->ctaid);
  }

  void start_and_try(std::uint64_t id) {
    start(id);
    if (visit(*blocks_.back(), turn_)) {
      blocks_.pop_back();
      if (blocks_.empty()) turn_ = kBlockTurn;
    } else {
      turn_ = std::max(kShortTurn, turn_ / 2);
    }
  }

  /// Gives each warp a turn; false when none could do anything.
  bool run_each(Block& block) {
    bool moved = false;
    for (Warp& warp : block.warps) {
      if (warp.alive == 0) continue;
      Context context{.grid = grid_, .block = block, .warp = warp};
      moved = run_warp(context, counters_) || moved;
    }
    check_budget();
    return moved;
  }

  /// Runs a block's warps in turns; true when the block is done.
  bool visit(Block& block, std::uint64_t turn) {
    const std::uint64_t stop = counters_.warp_instructions + turn;
    while (block.alive_warps != 0 && counters_.warp_instructions < stop && run_each(block)) {
    }
    if (block.alive_warps != 0) return false;
    finish(block);
    return true;
  }

  void visit_all() {
    if (blocks_.size() == 1 && !grid_.launch->cooperative && cluster_ == 0 && turn_ == kBlockTurn) return;
    for (std::size_t i = 0; i < blocks_.size();) {
      if (visit(*blocks_[i], kShortTurn))
        blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(i));
      else
        ++i;
    }
    if (blocks_.empty()) turn_ = kBlockTurn;
  }

  void finish(Block& block) {
    for (const Warp& warp : block.warps) grid_.result.time_reads += warp.time_reads;
    if (grid_.options->recorder) grid_.options->recorder->block_finished(block.id);
    if (MemoryCheck* check = MemoryCheck::active()) check->finished(block);
    if (block.cluster) leave_cluster(block);
  }

  void check_budget() {
    if (counters_.warp_instructions >= report_at_ && grid_.options->progress) {
      constexpr std::uint64_t kPerReport = 1 << 16;
      report_at_ = counters_.warp_instructions + kPerReport;
      grid_.options->progress(counters_.warp_instructions);
    }
    const std::uint64_t limit = grid_.launch->max_instructions;
    if (limit != 0 && counters_.warp_instructions > limit)
      throw stuck(*grid_.kernel, fmt::format("executed more than {} warp instructions (--max-instructions)", limit),
                  resident());
    if (grid_.launch->watchdog != 0) check_standstill();
  }

  /// A block may wait for one that has not begun.
  void check_standstill() {
    if (grid_.changes != changes_ || has_room()) {
      changes_ = grid_.changes;
      changed_at_ = counters_.warp_instructions;
    }
    if (counters_.warp_instructions - changed_at_ <= grid_.launch->watchdog) return;
    if (standstill_.look(grid_.changes, counters_.warp_instructions, resident()))
      throw stuck(*grid_.kernel, standstill_reason(standstill_.idle(counters_.warp_instructions)), resident());
  }

  Grid& grid_;
  std::uint64_t cluster_;  ///< blocks of a cluster; 0: there are no clusters
  std::uint64_t count_;    ///< blocks, or clusters
  std::uint64_t limit_, next_ = 0;
  Standstill standstill_;
  std::uint64_t changes_ = 0, changed_at_ = 0;
  Counters counters_;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::uint64_t turn_ = kBlockTurn, report_at_ = 0;
};

void start_again(Grid& grid, SharingWatch& watch) {
  watch.undo();
  grid.result.time_reads = 0;
  grid.result.beside = {};
  if (grid.options->recorder) grid.options->recorder->started_again();
}

void run_watched(Grid& grid) {
  SharingWatch watch(grid.options->meeting == Meeting::stops);
  grid.watch = &watch;
  for (bool done = false; !done;) {
    try {
      GridRunner(grid).run();
      done = true;
    } catch (const StartAgain&) {
      start_again(grid, watch);
    } catch (const OrderMatters&) {
      watch.undo();
      throw;
    } catch (...) {
      print(grid, watch.printed());
      throw;
    }
  }
  grid.watch = nullptr;
  print(grid, watch.printed());
  grid.result.blocks_met = watch.met();
}

void run_grid(Grid& grid) {
  if (run_apart(grid)) return;
  const bool watched = grid.options->meeting != Meeting::ignored && grid.program->may_share;
  if (watched && !grid.program->order_matters && grid.launch->grid.count() > 1)
    run_watched(grid);
  else
    GridRunner(grid).run();
}

}  // namespace

RunResult run(const Kernel& kernel, const LaunchConfig& launch, DeviceMemory& memory, const RunOptions& options) {
  const DefaultFloat default_float;
  Grid grid = grid_of(kernel, launch, memory, options);
  prepare_launch(grid);
  try {
    run_grid(grid);
  } catch (const OrderMatters&) {
    finish_launch(grid);
    throw;
  }
  finish_launch(grid);
  grid.result.settled = grid.effects == 0 && !grid.program->reads_grid_id;
  return std::move(grid.result);
}

bool order_matters(const Kernel& kernel) { return kernel.program->order_matters; }
bool waits_in_loops(const Kernel& kernel) { return kernel.program->waits_in_loops; }

}  // namespace sassim::emu
