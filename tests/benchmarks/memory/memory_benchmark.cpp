// SPDX-License-Identifier: Apache-2.0
// Warp instructions per second of memory-bound kernels on a whole GPU; streams are made on the way, as from a file.
// The first argument is the number of threads.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include "arch/gpu/gpu.h"
#include "sim/config/loader.h"
#include "tests/support/sass_kernel.h"

namespace sassim::arch::test {
namespace {

constexpr std::uint64_t kMiB = 1u << 20;
constexpr std::uint32_t kWarps = 8;  ///< per block

/// c[i] = a[i] + b[i], one element a thread, as nvcc 11.8 compiles it for sm_70 (where the branch out is an EXIT).
constexpr const char* kVectorAdd = R"(
B------:R-:W-:Y:S02 MOV R1, c[0x0][0x28] ;
B------:R-:W-:-:S01 @!PT SHFL.IDX PT, RZ, RZ, RZ, RZ ;
B------:R-:W0:-:S04 S2R R6, SR_TID.X ;
B------:R-:W0:-:S02 S2R R3, SR_CTAID.X ;
B0-----:R-:W-:Y:S05 IMAD R6, R3, c[0x0][0x0], R6 ;
B------:R-:W-:Y:S12 ISETP.GE.AND P0, PT, R6, c[0x0][0x178], PT ;
B------:R-:W-:-:S05 @P0 BRA out ;
B------:R-:W-:Y:S05 MOV R7, 0x4 ;
B------:R-:W-:Y:S04 IMAD.WIDE R4, R6, R7, c[0x0][0x168] ;
B------:R-:W-:Y:S04 IMAD.WIDE R2, R6, R7, c[0x0][0x160] ;
B------:R-:W2:-:S04 LDG.E.SYS R4, [R4] ;
B------:R-:W2:-:S01 LDG.E.SYS R3, [R2] ;
B------:R-:W-:Y:S04 IMAD.WIDE R6, R6, R7, c[0x0][0x170] ;
B--2---:R-:W-:Y:S08 FADD R9, R4, R3 ;
B------:R-:W-:-:S01 STG.E.SYS [R6], R9 ;
out:
B------:R-:W-:-:S05 EXIT ;
)";

void run(benchmark::State& state, const char* gpu_name, SassKernel& kernel) {
  const auto config = config::load_config(std::string(SASSIM_SOURCE_DIR "/configs/chips/") + gpu_name + ".yaml");
  const auto source = kernel.source();
  RunOptions options;
  options.threads = static_cast<unsigned>(state.range(0));
  options.allow_arch_mismatch = true;
  double instructions = 0, cycles = 0;
  Gpu gpu(config);
  for (auto _ : state) {
    const KernelResult result = gpu.run(*source, options);
    instructions += static_cast<double>(result.warp_instructions);
    cycles += static_cast<double>(result.cycles.value);
  }
  state.counters["warp_inst/s"] = benchmark::Counter(instructions, benchmark::Counter::kIsRate);
  state.counters["cycles"] = cycles / static_cast<double>(state.iterations());
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["peak_MiB"] = static_cast<double>(usage.ru_maxrss) / 1024;
}

/// Lines that read a, b and write c.
SassKernel vector_add(std::uint64_t bytes) {
  SassKernel kernel(kVectorAdd);
  const std::uint64_t array = bytes / 3 / (kWarps * 128) * (kWarps * 128);
  kernel.warps(kWarps).blocks(static_cast<std::uint32_t>(array / (kWarps * 128)));
  kernel.addresses_by_block(
      [array](std::uint64_t block, std::uint32_t warp, std::uint32_t line, std::uint64_t, int lane) {
        const std::uint64_t of = line == 10 ? 1 : line == 11 ? 0 : 2;
        return 0x10000000 + of * array + (block * kWarps + warp) * 128 + static_cast<std::uint64_t>(lane) * 4;
      });
  return kernel;
}

void vector_add_64MiB(benchmark::State& state, const char* gpu) {
  SassKernel kernel = vector_add(64 * kMiB);
  run(state, gpu, kernel);
}
BENCHMARK_CAPTURE(vector_add_64MiB, v100, "v100")->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK_CAPTURE(vector_add_64MiB, h200, "h200")->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->Iterations(1);

/// Every lane reads a word of its own somewhere in 64 MiB: 32 sectors a load.
void gather_64MiB(benchmark::State& state, const char* gpu) {
  SassKernel kernel(kVectorAdd);
  kernel.warps(kWarps).blocks(640);
  kernel.addresses_by_block([](std::uint64_t block, std::uint32_t warp, std::uint32_t line, std::uint64_t, int lane) {
    std::uint64_t place = (block * kWarps + warp) * 32 + static_cast<std::uint64_t>(lane);
    if (line == 14) return 0x20000000 + place * 4;
    place = (place * 4 + line) * 0x9e3779b97f4a7c15ull;
    return 0x10000000 + (place >> 20) % (16 * kMiB) * 4;
  });
  run(state, gpu, kernel);
}
BENCHMARK_CAPTURE(gather_64MiB, v100, "v100")->Arg(1)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
}  // namespace sassim::arch::test
