// SPDX-License-Identifier: Apache-2.0
// The threads that emulate blocks of one launch side by side, and when that is worth it and allowed.
#include "sim/emu/core/run_apart.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "sim/base/default_float.h"
#include "sim/base/stop_signals.h"
#include "sim/emu/core/block.h"
#include "sim/emu/core/machine.h"
#include "sim/emu/core/memory_check.h"
#include "sim/emu/core/run_warp.h"
#include "sim/emu/order/apart_watch.h"

namespace sassim::emu {
namespace {

/// Fewer warp instructions than this take less time than starting threads does.
constexpr std::uint64_t kWorthIt = 100'000;
/// How many reductions, of 24 bytes, are kept of one block, and of all blocks that wait for an earlier one.
constexpr std::size_t kMostOfBlock = std::size_t{1} << 20, kMostWaiting = 8 * kMostOfBlock;

/// Runs blocks from `begin` to before `end`.
class ApartRunner {
 public:
  /// `watch`: nullptr where it is known that their order changes nothing. `executed`: gets the warp instructions of
  /// each block; nullptr: nobody asks.
  ApartRunner(Grid& grid, ApartWatch* watch, std::uint64_t begin, std::uint64_t end,
              std::vector<std::uint32_t>* executed = nullptr)
      : grid_(grid), watch_(watch), end_(end), executed_(executed), next_(begin), next_reductions_(begin) {
    threads_ = static_cast<unsigned>(std::clamp<std::uint64_t>(end - begin, 1, grid.options->threads));
  }

  /// False if it cannot be done; blocks have then left traces in memory and in the recorder.
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
    if (failed_) return false;
    // Not before: the threads copy the grid.
    grid_.result.warp_instructions = total_.warp_instructions;
    grid_.result.thread_instructions = total_.thread_instructions;
    grid_.result.time_reads = time_reads_;
    grid_.effects = effects_;
    return true;
  }
  /// Blocks must end within a turn: only those end by number in the plain order.
  void end_within_turn() { ends_within_turn_ = true; }
  /// Memory has the results of the blocks' reductions already.
  void reductions_are_done() { reductions_done_ = true; }
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
    std::optional<ApartWatch::Thread> watch;
    if (watch_ != nullptr) mine.watch = &watch.emplace(*watch_);
    RunOptions options = *grid_.options;
    const std::unique_ptr<Recorder> recorder = options.recorder != nullptr ? options.recorder->apart() : nullptr;
    if (options.recorder != nullptr && recorder == nullptr) throw NotApart{};
    options.recorder = recorder.get();
    mine.options = &options;
    std::vector<Reduction> reductions;
    mine.reductions = &reductions;
    Counters counters;
    for (std::uint64_t id = next_++; id < end_ && !failed_; id = next_++) {
      run_block(mine, id, counters);
      if (executed_ != nullptr) (*executed_)[id] = static_cast<std::uint32_t>(counters.warp_instructions);
      done_ += counters.warp_instructions;
      add(mine, counters);
      if (!reductions_done_) perform_in_order(id, std::move(reductions));
      reductions.clear();
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
    std::uint64_t turn_ends = kBlockTurn, changes = mine.changes;
    while (block->alive_warps != 0) {
      if (failed_) throw NotApart{};
      if (counters.warp_instructions >= turn_ends) {
        // A block that changes nothing may wait for one that has not begun.
        if (ends_within_turn_ || mine.changes == changes) throw NotApart{};
        changes = mine.changes;
        turn_ends += kBlockTurn;
        has_long_ = true;
      }
      bool moved = false;
      for (Warp& warp : block->warps) {
        if (warp.alive == 0) continue;
        Context context{.grid = mine, .block = *block, .warp = warp};
        moved = run_warp(context, counters) || moved;
      }
      if (!moved || mine.reductions->size() > kMostOfBlock) throw NotApart{};
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

  /// Performs the reductions of a block once those of all blocks before it are performed.
  void perform_in_order(std::uint64_t id, std::vector<Reduction> reductions) {
    const std::lock_guard lock(mutex_);
    waiting_reductions_ += reductions.size();
    waiting_.emplace(id, std::move(reductions));
    for (; !waiting_.empty() && waiting_.begin()->first == next_reductions_; ++next_reductions_) {
      const auto first = waiting_.extract(waiting_.begin());
      waiting_reductions_ -= first.mapped().size();
      for (const Reduction& reduction : first.mapped()) {
        if (reduction.op->ordered) has_ordered_ = true;
        if (perform(reduction)) ++effects_;
      }
    }
    // A block that needs more than a turn ends after later ones in the plain order.
    if ((has_long_ && has_ordered_) || waiting_reductions_ > kMostWaiting) throw NotApart{};
  }

  Grid& grid_;
  ApartWatch* const watch_;
  const std::uint64_t end_;
  std::vector<std::uint32_t>* const executed_;
  unsigned threads_;
  bool ends_within_turn_ = false, reductions_done_ = false;
  std::atomic<std::uint64_t> next_, done_ = 0;
  std::atomic<bool> failed_ = false, look_closer_ = false, has_long_ = false;
  std::mutex mutex_;  ///< of what follows
  Counters total_;
  std::uint64_t time_reads_ = 0, effects_ = 0, next_reductions_;
  std::map<std::uint64_t, std::vector<Reduction>> waiting_;  ///< by block
  std::size_t waiting_reductions_ = 0;
  bool has_ordered_ = false;
};

bool may_run_apart(const Grid& grid) {
  const Program& program = *grid.program;
  const LaunchConfig& launch = *grid.launch;
  return launch.grid.count() >= 2 && !launch.cooperative && launch.cluster.count() == 0 &&
         launch.max_instructions == 0 && grid.options->clock == nullptr && !program.block_order_matters &&
         !program.apart.failed && MemoryCheck::active() == nullptr;
}

bool is_worth_threads(const Grid& grid) {
  const std::uint64_t known = grid.program->apart.instructions_per_block;
  return grid.options->threads > 1 && (known == 0 || known * grid.launch->grid.count() >= kWorthIt);
}

/// The watch that has seen that the order of blocks changed nothing; nullptr: see run_apart().
std::unique_ptr<ApartWatch> run_watched_apart(Grid& grid, std::vector<std::uint32_t>* executed) {
  if (!may_run_apart(grid)) return nullptr;
  Program::Apart& known = grid.program->apart;
  const std::uint64_t blocks = grid.launch->grid.count();
  for (;;) {
    const bool by_sectors = known.by_sectors;
    auto watch = std::make_unique<ApartWatch>(by_sectors);
    ApartRunner runner(grid, watch.get(), 0, blocks, executed);
    if (grid.options->recorder != nullptr && grid.options->recorder->keeps_order()) runner.end_within_turn();
    if (runner.run()) {
      grid.result.apart = true;
      known.instructions_per_block = std::max<std::uint64_t>(1, runner.instructions() / blocks);
      return watch;
    }
    watch->undo();
    if (grid.options->recorder != nullptr) grid.options->recorder->started_again();
    grid.result = {};
    known.failed = by_sectors || !runner.look_closer();
    known.by_sectors = true;
    if (known.failed) return nullptr;
  }
}

class ApartLaunch final : public RepeatableLaunch {
 public:
  ApartLaunch(const Kernel& kernel, const LaunchConfig& launch, DeviceMemory& memory, const RunOptions& options)
      : options_(options), grid_(grid_of(kernel, launch, memory, options_)), executed_(launch.grid.count()) {
    prepare_launch(grid_);
  }
  ~ApartLaunch() override {
    if (watch_) watch_->exchange();
    finish_launch(grid_);
  }

  bool run() {
    const DefaultFloat default_float;
    std::unique_ptr<ApartWatch> watch = run_watched_apart(grid_, &executed_);
    if (!watch) return false;
    result_ = grid_.result;
    options_.progress = {};
    if (!watch->by_sectors()) return true;  // it writes nothing that it reads
    watch_ = std::move(watch);
    watch_->exchange();
    return true;
  }
  const RunResult& result() const override { return result_; }
  std::uint64_t instructions(BlockId id) const override { return executed_.at(id.value); }
  void repeat(BlockId begin, BlockId end, Recorder& recorder) override {
    std::uint64_t expected = 0;
    for (std::uint64_t id = begin.value; id < end.value; ++id) expected += executed_.at(id);
    options_.recorder = &recorder;
    std::optional<ApartWatch> restored;  // memory is then ready for the next time
    if (watch_) restored.emplace(true);
    ApartRunner runner(grid_, restored ? &*restored : nullptr, begin.value, end.value);
    runner.reductions_are_done();
    const bool same = runner.run() && runner.instructions() == expected;
    if (restored) restored->undo();
    if (!same)
      throw std::logic_error(
          fmt::format("kernel {}: thread blocks {} to {} did something else when they were executed again",
                      grid_.kernel->name, begin.value, end.value - 1));
  }

 private:
  RunOptions options_;
  Grid grid_;
  std::vector<std::uint32_t> executed_;  ///< warp instructions of each block
  RunResult result_;
  std::unique_ptr<ApartWatch>
      watch_;  ///< has the contents of memory after the launch, where blocks overwrite what they read
};

}  // namespace

bool run_apart(Grid& grid) { return is_worth_threads(grid) && run_watched_apart(grid, nullptr) != nullptr; }

std::unique_ptr<RepeatableLaunch> run_repeatable(const Kernel& kernel, const LaunchConfig& launch, DeviceMemory& memory,
                                                 const RunOptions& options) {
  auto all = std::make_unique<ApartLaunch>(kernel, launch, memory, options);
  if (!all->run()) return nullptr;
  return all;
}

}  // namespace sassim::emu
