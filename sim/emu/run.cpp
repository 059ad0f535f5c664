// SPDX-License-Identifier: Apache-2.0
// The interpreter's outer loops: warps of a block, blocks of the grid.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>

#include "sim/emu/block.h"
#include "sim/emu/machine.h"
#include "sim/emu/run_warp.h"
#include "sim/emu/timing.h"

namespace sassim::emu {
namespace {

/// Warp instructions that a block runs before the next block starts beside it: long enough that most blocks finish,
/// halved each time that one does not, so that blocks waiting for later blocks find them soon.
constexpr std::uint64_t kBlockTurn = std::uint64_t{1} << 20;
constexpr std::uint64_t kShortTurn = std::uint64_t{1} << 12;
constexpr std::uint64_t kResidentBytes = std::uint64_t{1} << 29;

class GridRunner {
 public:
  explicit GridRunner(Grid& grid) : grid_(grid) {}

  void run() {
    const std::uint64_t count = grid_.launch->grid.count();
    const std::uint64_t limit = resident_limit();
    if (grid_.program->contention == Contention::grid && count > 1)
      run_side_by_side(count, grid_.launch->cooperative ? count : limit);
    else
      run_in_turns(count, limit);
    grid_.result.warp_instructions = counters_.warp_instructions;
    grid_.result.thread_instructions = counters_.thread_instructions;
  }

 private:
  void run_in_turns(std::uint64_t count, std::uint64_t limit) {
    std::uint64_t next = 0;
    while (next < count || !blocks_.empty()) {
      const std::uint64_t before = counters_.warp_instructions;
      if (grid_.launch->cooperative)
        while (next < count) start(next++);
      else if (next < count && blocks_.size() < limit)
        start_and_try(next++);
      visit_all();
      if (counters_.warp_instructions == before && !(next < count && blocks_.size() < limit)) deadlock();
    }
  }

  /// Blocks whose warps compete with those of other blocks: the block whose next warp is behind all others goes on.
  void run_side_by_side(std::uint64_t count, std::uint64_t limit) {
    using Entry = std::tuple<std::uint64_t, std::uint64_t, Block*>;  // time, number
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> order;
    std::uint64_t next = 0, now = 0;
    while (next < count || !blocks_.empty()) {
      for (; next < count && blocks_.size() < limit; ++next) {
        start(next);
        for (Warp& warp : blocks_.back()->warps) warp.time.now = now;
        order.emplace(now, next, blocks_.back().get());
      }
      if (order.empty()) deadlock();
      Block& block = *std::get<Block*>(order.top());
      now = std::get<0>(order.top());
      order.pop();
      run_behind(block);
      if (block.alive_warps == 0) {
        finish(block);
        std::erase_if(blocks_, [&](const auto& b) { return b.get() == &block; });
      } else if (const Warp* warp = warp_behind(block)) {
        order.emplace(warp->time.now, block.id.value, &block);
      }
    }
  }

  std::uint64_t resident_limit() const {
    if (grid_.launch->resident_blocks != 0) return grid_.launch->resident_blocks;
    // More than any GPU holds (32 blocks on each of 128 SMs), if their registers fit in a bounded amount of memory.
    const std::uint64_t warps = (grid_.launch->block.count() + 31) / 32;
    const std::uint64_t bytes = warps * grid_.program->registers * sizeof(Lanes) + grid_.shared_bytes;
    return std::clamp<std::uint64_t>(kResidentBytes / bytes, 16, 4096);
  }

  void start(std::uint64_t id) {
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

  /// Runs the warp whose clock is behind until it waits; false when none can go on.
  bool run_behind(Block& block) {
    Warp* const warp = warp_behind(block);
    if (!warp) return false;
    block.now = warp->time.now;
    Context context{.grid = grid_, .block = block, .warp = *warp};
    run_warp_timed(context, counters_);
    check_budget();
    return true;
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
    const bool timed = grid_.program->contention != Contention::none;
    while (block.alive_warps != 0 && counters_.warp_instructions < stop)
      if (!(timed ? run_behind(block) : run_each(block))) break;
    if (block.alive_warps != 0) return false;
    finish(block);
    return true;
  }

  void visit_all() {
    if (blocks_.size() == 1 && !grid_.launch->cooperative && turn_ == kBlockTurn) return;
    for (std::size_t i = 0; i < blocks_.size();) {
      if (visit(*blocks_[i], kShortTurn))
        blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(i));
      else
        ++i;
    }
    if (blocks_.empty()) turn_ = kBlockTurn;
  }

  void finish(Block& block) {
    if (grid_.options->hash_paths)
      for (const Warp& warp : block.warps)
        grid_.result.path_hashes[block.id.value * block.warps.size() + warp.index] = warp.path_hash;
    for (const Warp& warp : block.warps) grid_.result.time_reads += warp.time_reads;
    if (grid_.options->recorder) grid_.options->recorder->block_finished(block.id);
  }

  void check_budget() const {
    const std::uint64_t limit = grid_.launch->max_instructions;
    if (limit == 0 || counters_.warp_instructions <= limit) return;
    throw NoProgress(
        fmt::format("kernel {} executed more than {} warp instructions (--max-instructions); its warps are at:\n{}",
                    grid_.kernel->name, limit, progress_report(blocks_)));
  }

  [[noreturn]] void deadlock() const {
    throw NoProgress(fmt::format("kernel {} is deadlocked: every thread waits at a barrier; its warps are at:\n{}",
                                 grid_.kernel->name, progress_report(blocks_)));
  }

  Grid& grid_;
  Counters counters_;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::uint64_t turn_ = kBlockTurn;
};

}  // namespace

RunResult run(const Kernel& kernel, const LaunchConfig& launch, DeviceMemory& memory, const RunOptions& options) {
  Grid grid;
  grid.kernel = &kernel;
  grid.program = kernel.program.get();
  grid.launch = &launch;
  grid.options = &options;
  grid.memory = &memory;
  prepare_launch(grid);
  GridRunner(grid).run();
  finish_launch(grid);
  return std::move(grid.result);
}

std::string clock_dependence(const Kernel& kernel, const LaunchConfig& launch, const RunResult& before,
                             const RunResult& after) {
  const std::uint64_t warps = (launch.block.count() + 31) / 32;
  for (std::size_t i = 0; i < std::min(before.path_hashes.size(), after.path_hashes.size()); ++i)
    if (before.path_hashes[i] != after.path_hashes[i])
      return fmt::format(
          "kernel {}: warp {} of block {} takes another path when clock values change; "
          "the simulated clock cannot be given to a kernel whose control flow depends on it",
          kernel.name, i % warps, i / warps);
  return {};
}

}  // namespace sassim::emu
