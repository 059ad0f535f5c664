// SPDX-License-Identifier: Apache-2.0
// An SM in its steady state allocates nothing, whatever its warps do.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "arch/sm/sm.h"
#include "sim/config/loader.h"
#include "tests/support/fixed_port.h"
#include "tests/support/sass_kernel.h"

namespace {
std::atomic<std::uint64_t> allocations{0};
}

// Every allocation of this program is counted.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(bytes == 0 ? 1 : bytes);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace sassim::arch::test {
namespace {

/// Allocations of `count` cycles after ten times as many, in which queues grow to their size; and what issued in them.
std::pair<std::uint64_t, std::uint64_t> allocations_in(const char* gpu, const std::string& body, std::uint64_t count) {
  const config::GpuConfig config =
      config::load_config(std::string(SASSIM_SOURCE_DIR "/configs/chips/") + gpu + ".yaml");
  SassKernel kernel("loop:\n" + body + "B------:R-:W-:-:S05 @P0 BRA loop ;\nEXIT ;\n", config.arch);
  kernel.loop("loop", 20'000).warps(8).blocks(2).shared(4096);
  const auto source = kernel.source();
  FixedPort port(400);
  Sm sm(config, SmId(0), port);
  const StaticCode code(source->kernel(), config);
  sm.start_kernel({&code, Cycle(0), 2, source->kernel().shared_bytes(), false, nullptr}, Cycle(0));
  for (std::uint32_t b = 0; b < 2; ++b) sm.place(source->block(BlockId(b)), BlockId(b), Cycle(0));
  sm.advance(Cycle(10 * count));
  const std::uint64_t before = allocations, issued = sm.issued();
  sm.advance(Cycle(11 * count));
  return {allocations - before, sm.issued() - issued};
}

TEST(Allocation, TheSteadyStateNeedsNone) {
  const std::string arithmetic =
      "FFMA R4, R5.reuse, R6, R4 ;\nIMAD R8, R5, R6, R8 ;\nIADD3 R9, R9, R5, RZ ;\nB------:R-:W0:-:S02 MUFU.RSQ R10, "
      "R11 ;\n"
      "FADD R12, R12, c[0x0][0x160] ;\nB0-----:R-:W-:-:S04 DFMA R14, R16, R18, R14 ;\n";
  const std::string memory =
      "B------:R-:W0:-:S02 LDG.E R8, [R2.64] ;\nB------:R-:W1:-:S02 LDS R9, [R4] ;\n"
      "B------:R-:W2:-:S02 LDC R10, c[0x3][R5] ;\nB01----:R2:W-:-:S02 STS [R4], R9 ;\n"
      "B------:R-:W3:-:S02 SHFL.IDX PT, R11, R8, R9, 0x1f ;\nB--23--:R-:W-:-:S02 BAR.SYNC 0x0 ;\n";
  for (const char* gpu : {"v100", "t4", "h200"})
    for (const std::string& body : {arithmetic, memory, arithmetic + memory}) {
      const auto [made, issued] = allocations_in(gpu, body, 20'000);
      EXPECT_EQ(made, 0u) << gpu << "\n" << body;
      EXPECT_GT(issued, 1000u) << gpu << "\n" << body;
    }
}

}  // namespace
}  // namespace sassim::arch::test
