// SPDX-License-Identifier: Apache-2.0
// The interpreter's loops: instructions of a fragment, warps of a block, blocks of the grid.
#include <fmt/format.h>

#include <algorithm>

#include "sim/emu/block.h"
#include "sim/emu/machine.h"

namespace sassim::emu {
namespace {

/// Instructions that a warp runs before its neighbours get a turn.
constexpr std::uint64_t kWarpTurn = 256;
/// Instructions that a diverged fragment runs before the others of its warp do, if nothing stops it.
constexpr std::uint64_t kFragmentTurn = 4096;
/// Warp instructions that a block runs before the next block starts beside it: long enough that most blocks finish,
/// halved each time that one does not, so that blocks waiting for later blocks find them soon.
constexpr std::uint64_t kBlockTurn = std::uint64_t{1} << 20;
constexpr std::uint64_t kShortTurn = std::uint64_t{1} << 12;
constexpr std::uint64_t kResidentBytes = std::uint64_t{1} << 29;

struct Counters {
  std::uint64_t warp_instructions = 0, thread_instructions = 0;
};

constexpr std::uint64_t mix(std::uint64_t hash, std::uint64_t value) { return (hash ^ value) * 0x100000001b3u; }

/// Runs the current fragment until it stops, yields or has used `turn` instructions.
template <bool kObserved>
void run_fragment(Context& context, std::uint64_t turn, Counters& counters) {
  const Program& program = *context.grid.program;
  Recorder* recorder = context.grid.options->recorder;
  Warp& warp = context.warp;
  trace::Step step;
  context.fragment = &warp.fragments[warp.current];
  context.fragment->released = false;
  context.fragment->place = Place::none;
  warp.handover = Handover::turn_over;
  const std::uint64_t stop = warp.executed + turn;
  while (warp.executed < stop) {
    Fragment& fragment = *context.fragment;
    if (fragment.pc >= program.ops.size()) {
      MicroOp nowhere;
      nowhere.index = fragment.pc;
      context.fault(FaultKind::invalid_pc, nowhere, first_lane(fragment.mask), fragment.pc * std::uint64_t{16},
                    "execution ran past the kernel's end");
    }
    const MicroOp& op = program.ops[fragment.pc];
    const std::uint32_t active = fragment.mask;
    const std::uint32_t mask = active & context.predicate(op.guard);
    ++warp.executed;
    ++counters.warp_instructions;
    counters.thread_instructions += static_cast<std::uint64_t>(std::popcount(mask));
    context.outcome = Outcome::next;
    if constexpr (kObserved) {
      step.index = op.index;
      step.active = LaneMask(active);
      step.lanes = LaneMask(op.memory || op.masked ? mask : active);
      step.has_addresses = op.memory;
      step.space = static_cast<isa::Space>(op.memory ? op.space : 0);
      context.step = recorder && op.memory ? &step : nullptr;
      if (context.grid.options->hash_paths) warp.path_hash = mix(mix(warp.path_hash, op.index), active);
    }
    if (mask != 0 || op.always) op.execute(context, op, mask);
    if constexpr (kObserved)
      if (recorder) recorder->step(context.block.id, warp.index, step);
    if (context.outcome == Outcome::next) {
      ++context.fragment->pc;
    } else if (context.outcome == Outcome::yielded) {
      ++context.fragment->pc;
      return;
    } else if (context.outcome == Outcome::stopped) {
      warp.handover = context.fragment ? Handover::waits : Handover::gone;
      return;
    } else {
      context.fragment = &warp.fragments[warp.current];
    }
  }
}

/// Runs a warp for one turn; false when it could not do anything.
bool run_warp(Context& context, Counters& counters) {
  Warp& warp = context.warp;
  const bool observed = context.grid.options->recorder != nullptr || context.grid.options->hash_paths;
  const std::uint64_t begin = warp.executed;
  while (warp.executed - begin < kWarpTurn) {
    if (warp.fragments.size() == 1 ? warp.fragments[0].state != FragmentState::ready : !next_fragment(warp)) break;
    const std::uint64_t turn = warp.fragments.size() == 1 ? kWarpTurn - (warp.executed - begin) : kFragmentTurn;
    observed ? run_fragment<true>(context, turn, counters) : run_fragment<false>(context, turn, counters);
    if (context.outcome == Outcome::yielded && warp.fragments.size() == 1) break;
  }
  return warp.executed != begin;
}

class GridRunner {
 public:
  explicit GridRunner(Grid& grid) : grid_(grid) {}

  void run() {
    const std::uint64_t count = grid_.launch->grid.count();
    const std::uint64_t limit = resident_limit();
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
    grid_.result.warp_instructions = counters_.warp_instructions;
    grid_.result.thread_instructions = counters_.thread_instructions;
  }

 private:
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

  /// Runs a block's warps in turns; true when the block is done.
  bool visit(Block& block, std::uint64_t turn) {
    const std::uint64_t stop = counters_.warp_instructions + turn;
    bool moved = true;
    while (block.alive_warps != 0 && moved && counters_.warp_instructions < stop) {
      moved = false;
      for (Warp& warp : block.warps) {
        if (warp.alive == 0) continue;
        Context context{.grid = grid_, .block = block, .warp = warp};
        moved = run_warp(context, counters_) || moved;
      }
      check_budget();
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
