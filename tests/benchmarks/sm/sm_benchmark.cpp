// SPDX-License-Identifier: Apache-2.0
// Warp instructions per second of one SM on one core.
#include <benchmark/benchmark.h>

#include "tests/support/test_gpu.h"

namespace sassim::arch::test {
namespace {

void report(benchmark::State& state, const config::GpuConfig& config, const SassKernel& kernel) {
  std::uint64_t instructions = 0, cycles = 0;
  const auto source = kernel.source();
  for (auto _ : state) {
    const SmRun run = run_sm(config, *source);
    instructions += run.issued;
    cycles += run.cycles.value;
  }
  state.counters["warp_inst/s"] = benchmark::Counter(static_cast<double>(instructions), benchmark::Counter::kIsRate);
  state.counters["SM_cycles/s"] = benchmark::Counter(static_cast<double>(cycles), benchmark::Counter::kIsRate);
  state.counters["IPC"] = static_cast<double>(instructions) / static_cast<double>(cycles);
}

std::string loop_of(const std::string& body) {
  return "MOV R0, 0x0 ;\nloop:\n" + body +
         "B------:R-:W-:-:S04 IADD3 R0, R0, 0x1, RZ ;\nB------:R-:W-:-:S05 @P0 BRA loop ;\nEXIT ;\n";
}

void dependent_ffma(benchmark::State& state) {
  std::string body;
  for (int i = 0; i < 64; ++i) body += "B------:R-:W-:-:S04 FFMA R4, R4, R5, R6 ;\n";
  SassKernel kernel(loop_of(body));
  kernel.warps(static_cast<std::uint32_t>(state.range(0))).loop("loop", 200);
  report(state, volta(), kernel);
}
BENCHMARK(dependent_ffma)->Arg(4)->Arg(16)->Unit(benchmark::kMillisecond);

void independent_ffma(benchmark::State& state) {
  std::string body;
  for (int i = 0; i < 64; ++i)
    body += "B------:R-:W-:-:S02 FFMA R" + std::to_string(4 + i % 16) + ", R20, R21, R" + std::to_string(4 + i % 16) +
            " ;\n";
  SassKernel kernel(loop_of(body));
  kernel.warps(32).blocks(2).loop("loop", 25);
  report(state, volta(), kernel);
}
BENCHMARK(independent_ffma)->Unit(benchmark::kMillisecond);

void sgemm_inner(benchmark::State& state) {
  std::string body;
  for (int i = 0; i < 4; ++i)
    body += "B------:R-:W" + std::to_string(i % 2) + ":-:S02 LDS.128 R" + std::to_string(80 + 4 * i) + ", [R2+" +
            std::to_string(16 * i) + "] ;\n";
  for (int i = 0; i < 64; ++i)
    body += std::string(i == 0 ? "B01----" : "B------") + ":R-:W-:-:S02 FFMA R" + std::to_string(16 + i) + ", R" +
            std::to_string(80 + i % 8) + ".reuse, R" + std::to_string(88 + i / 8) + ", R" + std::to_string(16 + i) +
            " ;\n";
  SassKernel kernel(loop_of(body));
  kernel.registers(128).warps(8).blocks(2).loop("loop", 100);
  report(state, volta(), kernel);
}
BENCHMARK(sgemm_inner)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace sassim::arch::test
