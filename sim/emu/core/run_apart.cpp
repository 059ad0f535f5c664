// SPDX-License-Identifier: Apache-2.0
#include "sim/emu/core/run_apart.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "sim/base/default_float.h"
#include "sim/base/no_signals.h"
#include "sim/emu/core/block.h"
#include "sim/emu/core/machine.h"
#include "sim/emu/core/memory_check.h"
#include "sim/emu/core/run_warp.h"
#include "sim/emu/order/apart_watch.h"

namespace sassim::emu {
namespace {

/// Fewer warp instructions than this take less time than starting threads does.
constexpr std::uint64_t kWorthIt = 100'000;

class ApartRunner {
 public:
  ApartRunner(Grid& grid, unsigned threads, bool by_sectors)
      : grid_(grid), count_(grid.launch->grid.count()), threads_(threads), watch_(by_sectors) {}

  bool run() {
    {
      std::vector<std::jthread> others;
      const NoSignals inherited;
      try {
        for (unsigned i = 1; i < threads_; ++i) others.emplace_back([this] { work(false); });
      } catch (const std::system_error&) {
        // The system has no more threads: those that there are do the work.
      }
      work(true);
    }
    if (!failed_) {
      // Not before: the threads copy the grid.
      grid_.result.warp_instructions = total_.warp_instructions;
      grid_.result.thread_instructions = total_.thread_instructions;
      grid_.result.time_reads = time_reads_;
      grid_.effects = effects_;
      return true;
    }
    watch_.undo();
    if (grid_.options->recorder != nullptr) grid_.options->recorder->started_again();
    grid_.result = {};
    return false;
  }
  std::uint64_t instructions() const { return total_.warp_instructions; }
  /// After a failure: a watch by sectors may see that there was none.
  bool look_closer() const { return look_closer_; }

 private:
  /// Runs blocks until none is left. Whatever goes wrong, the plain order tells.
  void work(bool tells_progress) try {
    const DefaultFloat default_float;
    Grid mine = grid_;
    mine.result = {};
    mine.effects = 0;
    ApartWatch::Thread watch(watch_);
    mine.watch = &watch;
    RunOptions options = *grid_.options;
    const std::unique_ptr<Recorder> recorder = options.recorder != nullptr ? options.recorder->apart() : nullptr;
    if (options.recorder != nullptr && recorder == nullptr) throw NotApart{};
    options.recorder = recorder.get();
    mine.options = &options;
    Counters counters;
    for (std::uint64_t id = next_++; id < count_ && !failed_; id = next_++) {
      run_block(mine, id, counters);
      done_ += counters.warp_instructions;
      add(mine, counters);
      if (tells_progress && options.progress) options.progress(done_);
    }
    if (mine.result.beside.count != 0) throw NotApart{};
  } catch (const NotApart& why) {
    if (why.look_closer) look_closer_ = true;
    failed_ = true;
  } catch (...) {
    failed_ = true;
  }

  void run_block(Grid& mine, std::uint64_t id, Counters& counters) {
    counters = {};
    const std::unique_ptr<Block> block = make_block(mine, BlockId(id));
    Recorder* const recorder = mine.options->recorder;
    if (recorder != nullptr) recorder->block_started(block->id, block->ctaid);
    while (block->alive_warps != 0) {
      if (failed_ || counters.warp_instructions >= kBlockTurn) throw NotApart{};
      bool moved = false;
      for (Warp& warp : block->warps) {
        if (warp.alive == 0) continue;
        Context context{.grid = mine, .block = *block, .warp = warp};
        moved = run_warp(context, counters) || moved;
      }
      if (!moved) throw NotApart{};
    }
    for (const Warp& warp : block->warps) mine.result.time_reads += warp.time_reads;
    if (recorder != nullptr) recorder->block_finished(block->id);
  }

  void add(Grid& mine, const Counters& counters) {
    const std::lock_guard lock(mutex_);
    total_.warp_instructions += counters.warp_instructions;
    total_.thread_instructions += counters.thread_instructions;
    time_reads_ += std::exchange(mine.result.time_reads, 0);
    effects_ += std::exchange(mine.effects, 0);
  }

  Grid& grid_;
  const std::uint64_t count_;
  const unsigned threads_;
  ApartWatch watch_;
  std::atomic<std::uint64_t> next_ = 0, done_ = 0;
  std::atomic<bool> failed_ = false, look_closer_ = false;
  std::mutex mutex_;  ///< of what follows
  Counters total_;
  std::uint64_t time_reads_ = 0, effects_ = 0;
};

bool may_run_apart(const Grid& grid) {
  const Program& program = *grid.program;
  const LaunchConfig& launch = *grid.launch;
  const std::uint64_t blocks = launch.grid.count();
  const std::uint64_t known = program.apart.instructions_per_block;
  return grid.options->threads > 1 && blocks >= 2 && !launch.cooperative && launch.cluster.count() == 0 &&
         launch.max_instructions == 0 && grid.options->clock == nullptr && !program.order_matters &&
         !program.apart.failed && MemoryCheck::active() == nullptr && (known == 0 || known * blocks >= kWorthIt);
}

}  // namespace

bool run_apart(Grid& grid) {
  if (!may_run_apart(grid)) return false;
  Program::Apart& known = grid.program->apart;
  const std::uint64_t blocks = grid.launch->grid.count();
  const auto threads = static_cast<unsigned>(std::min<std::uint64_t>(grid.options->threads, blocks));
  for (;;) {
    const bool by_sectors = known.by_sectors;
    ApartRunner runner(grid, threads, by_sectors);
    if (runner.run()) {
      grid.result.apart = true;
      known.instructions_per_block = std::max<std::uint64_t>(1, runner.instructions() / blocks);
      return true;
    }
    known.failed = by_sectors || !runner.look_closer();
    known.by_sectors = true;
    if (known.failed) return false;
  }
}

}  // namespace sassim::emu
