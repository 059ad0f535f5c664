// SPDX-License-Identifier: Apache-2.0
// How fast steps are recorded and played back: `items_per_second` are warp instructions.
#include <benchmark/benchmark.h>

#include "tests/unit/trace/shapes.h"

namespace sassim::trace {
namespace {

KernelInfo kernel() {
  KernelInfo info = kernel_of(700);
  info.grid = {64, 1, 1};
  return info;
}

/// One after the other, as a warp that always issues.
void play_streams(benchmark::State& state, bool sgemm) {
  const auto block = block_of_shape(kernel(), 5, sgemm);
  std::uint64_t steps = 0, sum = 0;
  Step step;
  for (auto _ : state)
    for (const auto& warp : block->warps) {
      auto cursor = warp->cursor();
      while (cursor.next(step)) {
        sum += step.index;
        ++steps;
      }
    }
  benchmark::DoNotOptimize(sum);
  state.SetItemsProcessed(static_cast<std::int64_t>(steps));
}
void play_vector_add(benchmark::State& state) { play_streams(state, false); }
void play_sgemm(benchmark::State& state) { play_streams(state, true); }
BENCHMARK(play_vector_add);
BENCHMARK(play_sgemm);

/// 5120 resident warps (80 SMs of 64), one step of each in turn: the cursors do not fit the first caches.
void play_resident_warps(benchmark::State& state) {
  const KernelInfo info = kernel();
  auto pool = std::make_shared<BodyPool>();
  std::vector<Cursor> cursors;
  std::vector<std::shared_ptr<const BlockTrace>> blocks;
  for (std::uint64_t i = 0; i < 640; ++i) {
    if (i < 64) blocks.push_back(block_of_shape(info, i, true, pool));
    for (const auto& warp : blocks[i % 64]->warps) cursors.push_back(warp->cursor());
  }
  const std::vector<Cursor> fresh = cursors;
  std::uint64_t steps = 0, sum = 0;
  Step step;
  for (auto _ : state)
    for (std::size_t i = 0; i < cursors.size(); ++i) {
      if (!cursors[i].next(step)) cursors[i] = fresh[i];
      sum += step.index;
      ++steps;
    }
  benchmark::DoNotOptimize(sum);
  state.SetItemsProcessed(static_cast<std::int64_t>(steps));
}
BENCHMARK(play_resident_warps);

void record_sgemm(benchmark::State& state) {
  const KernelInfo info = kernel();
  const auto steps = sgemm_warp(5, 3);
  WarpStreamBuilder builder(info);
  for (auto _ : state) {
    for (const Step& step : steps) builder.append(step);
    benchmark::DoNotOptimize(builder.finish());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * steps.size()));
}
BENCHMARK(record_sgemm);

}  // namespace
}  // namespace sassim::trace
