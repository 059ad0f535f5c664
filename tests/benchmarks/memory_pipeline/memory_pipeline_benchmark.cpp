// SPDX-License-Identifier: Apache-2.0
// Warp instructions per second through one SM's memory pipeline.
#include <benchmark/benchmark.h>

#include "sim/config/gpu_config.h"
#include "tests/unit/lsu/bench.h"

namespace sassim::arch::test {
namespace {

void run(benchmark::State& state, isa::OpClass op, isa::Space space, std::uint64_t lane_bytes, std::uint64_t step,
         std::uint64_t range) {
  config::Sm sm;
  sm.memory_io.accept_interval = 1;
  Bench bench(sm, 150);
  bench.limit = ~0ull;
  bench.times.reserve(1u << 24);
  const auto decoded_op = decoded(op, space);
  UnitOp instruction = make_op(decoded_op, [&](int lane) { return static_cast<std::uint64_t>(lane) * lane_bytes; });
  std::uint64_t base = 0;
  for (auto _ : state) {
    bench.issue(instruction);
    bench.port.sent.clear();
    base += step;
    const std::uint64_t jump = base == range ? range - step : 0;
    if (jump != 0) base = 0;
    for (std::uint64_t& address : instruction.addresses) address = jump != 0 ? address - jump : address + step;
  }
  state.SetItemsProcessed(state.iterations());
}

BENCHMARK_CAPTURE(run, shared_load, isa::OpClass::load_shared, isa::Space::shared, 4, 128, 32768);
BENCHMARK_CAPTURE(run, shared_load_conflict_2, isa::OpClass::load_shared, isa::Space::shared, 8, 128, 32768);
BENCHMARK_CAPTURE(run, load_hit, isa::OpClass::load, isa::Space::global, 4, 128, 32768);
BENCHMARK_CAPTURE(run, load_stream, isa::OpClass::load, isa::Space::global, 4, 128, 1u << 30);
BENCHMARK_CAPTURE(run, load_divergent, isa::OpClass::load, isa::Space::global, 132, 128, 1u << 30);
BENCHMARK_CAPTURE(run, store_stream, isa::OpClass::store, isa::Space::global, 4, 128, 1u << 30);

}  // namespace
}  // namespace sassim::arch::test
