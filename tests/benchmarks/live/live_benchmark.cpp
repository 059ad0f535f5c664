// SPDX-License-Identifier: Apache-2.0
// Live warps against the replay of a record, on arithmetic code, in warp instructions per second on one core.
// Target: live at least a third as fast as the replay alone.
#include <benchmark/benchmark.h>

#include <string>

#include "arch/gpu/gpu.h"
#include "sim/config/loader.h"
#include "sim/emu/core/emulator.h"
#include "sim/emu/core/recording.h"
#include "sim/isa/assembly.h"
#include "sim/live/live_launch.h"
#include "sim/trace/memory_trace.h"

namespace sassim::live {
namespace {

std::string arithmetic() {
  std::string text =
      "  B------:R-:W-:-:S04 MOV R0, 0x100\n  B------:R-:W-:-:S04 MOV R2, 0x3f800001\n"
      "  B------:R-:W-:-:S04 MOV R3, 0x3f800003\n  B------:R-:W-:-:S04 MOV R4, 0x40000000\nloop:\n";
  for (int i = 0; i < 16; ++i)
    text +=
        "  B------:R-:W-:-:S04 FFMA R2, R2, R3, R4\n  B------:R-:W-:-:S04 IADD3 R5, R5, R0, 0x7\n"
        "  B------:R-:W-:-:S04 LOP3.LUT R6, R5, R4, RZ, 0x3c, !PT\n";
  return text +
         "  B------:R-:W-:-:S04 IADD3 R0, R0, -0x1, RZ\n  B------:R-:W-:-:S05 ISETP.NE.AND P0, PT, R0, RZ, PT\n"
         "  B------:R-:W-:-:S05 @P0 BRA loop\n  B------:R-:W-:-:S05 EXIT\n";
}

struct Workload {
  config::GpuConfig config = config::load_config(SASSIM_SOURCE_DIR "/configs/chips/v100.yaml", {"sm.count=4"});
  std::unique_ptr<emu::Kernel> kernel = emu::make_kernel("arithmetic", 70, isa::assemble(arithmetic()), 0);
  emu::LaunchConfig launch{.grid = {8}, .block = {256}};
  trace::KernelInfo info = emu::kernel_info(*kernel, launch);
  emu::DeviceMemory memory;
};

void tell(benchmark::State& state, std::uint64_t instructions) {
  state.counters["warp_instructions"] =
      benchmark::Counter(static_cast<double>(instructions), benchmark::Counter::kIsRate);
}

void Replay(benchmark::State& state) {
  Workload work;
  const arch::RunOptions options;
  trace::MemoryTrace trace(work.info);
  emu::BlockRecorder recorder(
      work.info, [&](std::shared_ptr<const trace::BlockTrace> block) { trace.add(std::move(block)); }, [] {});
  emu::run(*work.kernel, work.launch, work.memory, {.recorder = &recorder});
  std::uint64_t instructions = 0;
  for (auto _ : state) instructions += arch::Gpu(work.config).run(trace, options).warp_instructions;
  tell(state, instructions);
}

void Live(benchmark::State& state) {
  Workload work;
  const arch::RunOptions options;
  std::uint64_t instructions = 0;
  for (auto _ : state) {
    LiveLaunch live(*work.kernel, work.launch, work.memory, work.info,
                    {work.config.sm.count, Cycle{}, work.config.clock.sm, false});
    instructions += arch::Gpu(work.config).run(live, options).warp_instructions;
    live.finish();
  }
  tell(state, instructions);
}

BENCHMARK(Replay)->Unit(benchmark::kMillisecond);
BENCHMARK(Live)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace sassim::live
