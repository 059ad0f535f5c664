// SPDX-License-Identifier: Apache-2.0
// How fast the emulator executes, in warp and thread instructions per second on one core.
// Target: 2 million and 20 million on arithmetic code.
#include <benchmark/benchmark.h>

#include <cstring>
#include <string>

#include "sim/emu/core/emulator.h"
#include "sim/isa/assembly.h"

namespace sassim::emu {
namespace {

/// 64 iterations of `body` between a loop's counter and branch.
std::string loop_of(const std::string& body) {
  std::string text =
      "  MOV R0, 0x400\n  MOV R2, 0x3f800001\n  MOV R3, 0x3f800003\n  MOV R4, 0x40000000\n  MOV R5, "
      "0x3ff00000\nloop:\n";
  for (int i = 0; i < 16; ++i) text += body;
  return text + "  IADD3 R0, R0, -0x1, RZ\n  ISETP.NE.AND P0, PT, R0, RZ, PT\n  @P0 BRA loop\n  EXIT\n";
}

class Discard : public Recorder {
 public:
  void step(BlockId, std::uint32_t, const trace::Step& step) override { benchmark::DoNotOptimize(step.index); }
};

void measure(benchmark::State& state, const std::string& text, std::uint32_t threads, bool record,
             bool memory_operands) {
  DeviceMemory memory;
  const std::uint64_t data = memory.allocate(1 << 20);
  const auto kernel = make_kernel("benchmark", 70, isa::assemble(text), 8);
  LaunchConfig launch{.grid = {4}, .block = {threads}};
  launch.params.resize(8);
  if (memory_operands) std::memcpy(launch.params.data(), &data, 8);
  Discard recorder;
  std::uint64_t warps = 0, lanes = 0;
  for (auto _ : state) {
    const RunResult result = run(*kernel, launch, memory, {.recorder = record ? &recorder : nullptr});
    warps += result.warp_instructions;
    lanes += result.thread_instructions;
  }
  state.counters["warp_instructions"] = benchmark::Counter(static_cast<double>(warps), benchmark::Counter::kIsRate);
  state.counters["thread_instructions"] = benchmark::Counter(static_cast<double>(lanes), benchmark::Counter::kIsRate);
}

const std::string kSingle = "  FFMA R2, R2, R3, R4\n  FADD R3, R3, -R4\n  FMUL R4, R4, 1.5\n";
const std::string kInteger =
    "  IADD3 R2, R2, R3, 0x7\n  LOP3.LUT R3, R2, R4, RZ, 0x3c, !PT\n  IMAD R4, R2, 0x11, R3\n  SHF.L.U32 R2, R4, 0x3, "
    "RZ\n";
const std::string kDouble = "  DFMA R2, R2, R4, R2\n  DADD R4, R4, R2\n";
const std::string kHalf = "  HFMA2 R2, R2, R3, R4\n  HADD2 R3, R3, R4\n";
const std::string kMixed =
    kSingle + kInteger + "  ISETP.GT.AND P1, PT, R2, R3, PT\n  @P1 MOV R6, R2\n  MUFU.RCP R7, R2\n";
const std::string kLoads =
    "  S2R R8, SR_TID.X\n  S2R R9, SR_CTAID.X\n  IMAD R8, R9, 0x100, R8\n  MOV R10, 0x4\n  IMAD.WIDE R8, R8, R10, "
    "c[0x0][0x160]\n  LDG.E.SYS R6, [R8]\n  FADD R6, R6, "
    "R3\n  STG.E.SYS [R8], R6\n";

void Single(benchmark::State& state) { measure(state, loop_of(kSingle), 256, false, false); }
void SingleOneThread(benchmark::State& state) { measure(state, loop_of(kSingle), 1, false, false); }
void SingleRecorded(benchmark::State& state) { measure(state, loop_of(kSingle), 256, true, false); }
void Integer(benchmark::State& state) { measure(state, loop_of(kInteger), 256, false, false); }
void Double(benchmark::State& state) { measure(state, loop_of(kDouble), 256, false, false); }
void Half(benchmark::State& state) { measure(state, loop_of(kHalf), 256, false, false); }
void Mixed(benchmark::State& state) { measure(state, loop_of(kMixed), 256, false, false); }
void Loads(benchmark::State& state) { measure(state, loop_of(kLoads), 256, false, true); }

BENCHMARK(Single)->Unit(benchmark::kMillisecond);
BENCHMARK(SingleOneThread)->Unit(benchmark::kMillisecond);
BENCHMARK(SingleRecorded)->Unit(benchmark::kMillisecond);
BENCHMARK(Integer)->Unit(benchmark::kMillisecond);
BENCHMARK(Double)->Unit(benchmark::kMillisecond);
BENCHMARK(Half)->Unit(benchmark::kMillisecond);
BENCHMARK(Mixed)->Unit(benchmark::kMillisecond);
BENCHMARK(Loads)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace sassim::emu
