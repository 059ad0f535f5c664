// SPDX-License-Identifier: Apache-2.0
// The interpreter's outer loops: warps of a block, blocks of the grid.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>

#include "sim/base/default_float.h"
#include "sim/emu/core/block.h"
#include "sim/emu/core/builtins.h"
#include "sim/emu/core/machine.h"
#include "sim/emu/core/run_warp.h"
#include "sim/emu/order/rough_sm.h"
#include "sim/emu/order/sharing_watch.h"
#include "sim/emu/order/timing.h"

namespace sassim::emu {
namespace {

/// Warp instructions that a block runs before the next block starts. Most blocks finish in this turn. The turn is
/// halved each time that a block does not, so that blocks that wait for later blocks soon meet them.
constexpr std::uint64_t kBlockTurn = std::uint64_t{1} << 20;
constexpr std::uint64_t kShortTurn = std::uint64_t{1} << 12;
constexpr std::uint64_t kResidentBytes = std::uint64_t{1} << 29;

class GridRunner {
  using Entry = std::tuple<std::uint64_t, std::uint64_t,
                           std::uint64_t>;  // time, start of the wait, number of a block or of an SM's queue
  using Order = std::priority_queue<Entry, std::vector<Entry>, std::greater<>>;

 public:
  explicit GridRunner(Grid& grid) : grid_(grid) {}

  void run() {
    const std::uint64_t count = grid_.launch->grid.count();
    const std::uint64_t limit = resident_limit();
    if (grid_.contention == Contention::grid && count > 1)
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

  /// Runs a grid whose blocks compete: the block whose next warp has the earliest clock runs next. As on a GPU, blocks
  /// start on all SMs at once, and a block that ends makes room for one more.
  void run_side_by_side(std::uint64_t count, std::uint64_t limit) {
    std::vector<RoughSm> sms(std::max(grid_.launch->sm_count, 1u));
    for (std::size_t i = 0; i < grid_.launch->upper_half.size() && i < sms.size(); ++i) {
      sms[i].halves = true;
      sms[i].upper = grid_.launch->upper_half[i];
    }
    const BlockStarts& starts = grid_.launch->starts;
    std::vector<Block*> resident(count);
    Order order;
    std::uint64_t next = 0;
    const auto queue = [&](Block& block, Warp* warp) {
      block.turn = warp->time.now;
      block.next = warp;
      order.emplace(warp->time.now, warp->time.since, block.id.value);
    };
    const auto start_on = [&](RoughSm& sm, std::uint64_t time) {
      start(next);
      Block& block = *blocks_.back();
      resident[next++] = &block;
      block.sm = &sm;
      for (Warp& warp : block.warps) warp.time.now = warp.time.since = time + starts.warp * warp.index;
      queue(block, warp_behind(block, nullptr));
    };
    const auto go_on = [&](RoughSm& sm, Block* running) {
      for (std::size_t i = 0; i < sm.queues.size(); ++i) {
        RoughSm::Queue& waiting = sm.queues[i];
        const bool chosen = waiting.next;
        if (Warp* warp = choose_next(waiting)) {
          if (warp->block != running && warp->time.now < warp->block->turn) queue(*warp->block, warp);
        } else if (!chosen && waiting.next) {
          const std::uint64_t time = std::max(waiting.free, waiting.waiting.front().store.time);
          order.emplace(time, 0, count + static_cast<std::uint64_t>(&sm - sms.data()) * sm.queues.size() + i);
        }
      }
    };
    const std::uint64_t gap = std::max(starts.block, grid_.launch->block.count() / 32 * starts.block_warp);
    while (next < std::min(count, limit)) start_on(sms[next % sms.size()], next / sms.size() * gap);
    while (!order.empty()) {
      auto [now, since, number] = order.top();
      order.pop();
      if (number >= count) {
        const std::size_t queues = sms[0].queues.size();
        RoughSm& sm = sms[(number - count) / queues];
        go_on_with_store(grid_, sm, sm.queues[(number - count) % queues], now);
        go_on(sm, nullptr);
        continue;
      }
      Block* block = resident[number];
      if (!block || block->turn != now) continue;  // it has had an earlier turn
      block->turn = ~std::uint64_t{0};
      RoughSm& sm = *block->sm;
      Warp* warp = block->next;
      do {
        now = warp->time.now;
        run_timed(*block, *warp);
        go_on(sm, block);
        warp = warp_behind(*block, warp);
      } while (warp && (order.empty() || warp->time.now < std::get<0>(order.top())));
      if (warp) {
        queue(*block, warp);
      } else if (block->alive_warps == 0) {
        finish(*block);
        resident[number] = nullptr;
        std::erase_if(blocks_, [gone = block](const auto& b) { return b.get() == gone; });
        if (next < count) start_on(sm, now + starts.replacement);
      }
    }
    if (!blocks_.empty()) deadlock();
  }

  std::uint64_t resident_limit() const {
    if (grid_.launch->resident_blocks != 0) return grid_.launch->resident_blocks;
    // About as many as the largest GPU holds, as long as their registers fit in kResidentBytes.
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

  /// Runs the warp until it waits.
  void run_timed(Block& block, Warp& warp) {
    block.now = warp.time.now;
    Context context{.grid = grid_, .block = block, .warp = warp};
    run_warp_timed(context, counters_);
    check_budget();
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
    if (grid_.contention != Contention::none) {
      Warp* warp = warp_behind(block, nullptr);
      while (warp && counters_.warp_instructions < stop) {
        run_timed(block, *warp);
        warp = warp_behind(block, warp);
      }
    } else {
      while (block.alive_warps != 0 && counters_.warp_instructions < stop && run_each(block)) {
      }
    }
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

  void check_budget() {
    if (counters_.warp_instructions >= tell_at_ && grid_.options->progress) {
      constexpr std::uint64_t kPerTelling = 1 << 16;
      tell_at_ = counters_.warp_instructions + kPerTelling;
      grid_.options->progress(counters_.warp_instructions);
    }
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
  std::uint64_t turn_ = kBlockTurn, tell_at_ = 0;
};

void start_again(Grid& grid) {
  grid.watch->undo();
  grid.result.time_reads = 0;
  grid.result.beside = {};
  grid.behind = {};
  if (grid.options->recorder) grid.options->recorder->started_again();
  if (grid.options->clock) grid.options->clock->started_again();
}

/// Runs blocks in turns; if a block reads what another block of the launch wrote, starts again and orders blocks by the
/// clocks of their warps.
void run_watched(Grid& grid) {
  SharingWatch watch;
  grid.watch = &watch;
  while (!watch.met()) {
    try {
      GridRunner(grid).run();
      break;
    } catch (const StartAgain&) {
      start_again(grid);
    } catch (...) {
      print(grid, watch.printed());
      throw;
    }
  }
  grid.watch = nullptr;
  if (watch.met() && grid.options->only_in_any_order) throw OrderMatters{};
  print(grid, watch.printed());
  if (!watch.met()) return;
  grid.contention = Contention::grid;
  GridRunner(grid).run();
}

void run_grid(Grid& grid) {
  grid.contention = grid.program->contention;
  const bool alone = grid.launch->grid.count() == 1;
  if (grid.program->may_share && grid.contention != Contention::grid && !alone)
    run_watched(grid);
  else {
    GridRunner(grid).run();
  }
}

}  // namespace

RunResult run(const Kernel& kernel, const LaunchConfig& launch, DeviceMemory& memory, const RunOptions& options) {
  const DefaultFloat default_float;
  Grid grid;
  grid.kernel = &kernel;
  grid.program = kernel.program.get();
  grid.launch = &launch;
  grid.options = &options;
  grid.memory = &memory;
  prepare_launch(grid);
  try {
    run_grid(grid);
  } catch (const OrderMatters&) {
    finish_launch(grid);
    throw;
  }
  finish_launch(grid);
  return std::move(grid.result);
}

bool order_matters(const Kernel& kernel) { return kernel.program->contention != Contention::none; }

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
