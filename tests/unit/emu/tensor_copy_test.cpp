// SPDX-License-Identifier: Apache-2.0
// Copies of boxes of tensors and bulk copies from shared memory. The instructions are as CUDA 13.0 prints them for
// sm_90.
#include <gtest/gtest.h>

#include <numeric>

#include "sim/base/error.h"
#include "sim/emu/core/fault.h"
#include "sim/emu/memory/tensor_map.h"
#include "tests/unit/emu/harness.h"

namespace sassim::emu {
namespace {

constexpr std::uint32_t kWide = 8, kHigh = 6;  ///< the tensor: words 1 to 48, rows of 32 bytes

/// What one thread leaves in global memory: the tensor, the box of shared memory at 0x400, and whether the first phase
/// of the barrier at 0x10, which expects `bytes`, is over.
struct After {
  std::vector<std::uint32_t> tensor, box;
  bool over = false;
};

struct Setup {
  std::array<std::uint8_t, 2> box = {4, 2}, steps = {1, 1};
  std::uint8_t swizzle = 0;
  std::uint32_t bytes = 32;
};

TensorMap map_of(std::uint64_t address, const Setup& s) {
  TensorMap map;
  std::memset(&map, 0, sizeof map);
  map.type = 2;  // unsigned words
  map.rank = 2;
  map.swizzle = s.swizzle;
  map.address = address;
  map.strides = {kWide * 4};
  map.extents = {kWide - 1, kHigh - 1};
  for (std::size_t i = 0; i < 2; ++i) map.box[i] = static_cast<std::uint8_t>(s.box[i] - 1), map.steps[i] = s.steps[i];
  map.seal = seal_of(map);
  return map;
}

/// UR4: the map; UR8 to UR11: the box, the barrier or x, x or y, y. R4 has the tensor's address, R2 that of the result.
After copied(const std::string& then, const Setup& setup = {}, bool damaged = false) {
  constexpr std::size_t kBoxWords = 64;
  const auto kernel = make_kernel("tensors", 90, isa::assemble(R"(
  MOV R2, c[0x0][0x210]
  MOV R3, c[0x0][0x214]
  ULDC.64 UR4, c[0x0][0x218]
  ULDC.64 UR12, c[0x0][0x220]
  MOV R6, c[0x0][0x228]
  UMOV UR6, 0x1ffffe
  UMOV UR7, 0x7ffff800
  UMOV UR9, 0x10
  SYNCS.EXCH.64 URZ, [UR9], UR6
  SYNCS.ARRIVE.TRANS64 RZ, [UR9], R6
  UMOV UR8, 0x400
  MOV R5, 0x400
)" + then + R"(
  UMOV UR9, 0x10
  SYNCS.PHASECHK.TRANS64 P1, [UR9], RZ
  SEL R6, R5, RZ, P1
  STG.E [R2+0x100], R6
  MOV R7, RZ
again:
  LDS R8, [R5]
  STG.E [R2], R8
  IADD3 R5, R5, 0x4, RZ
  IADD3 R2, R2, 0x4, RZ
  IADD3 R7, R7, 0x1, RZ
  ISETP.NE.AND P0, PT, R7, 0x40, PT
  @P0 BRA again
  EXIT
)"),
                                  16);
  DeviceMemory memory;
  std::vector<std::uint32_t> words(std::size_t{kWide} * kHigh);
  std::iota(words.begin(), words.end(), 1);
  const std::uint64_t tensor = copy_in(memory, words);
  TensorMap map = map_of(tensor, setup);
  if (damaged) ++map.extents[0];
  const std::uint64_t maps = copy_in(memory, std::vector<TensorMap>{map});
  const std::uint64_t result = memory.allocate((kBoxWords + 1) * 4);
  LaunchConfig launch{.grid = {1}, .block = {1}, .dynamic_shared = 2048};
  launch.params = pack(result, maps, tensor, setup.bytes);
  run(*kernel, launch, memory);
  const auto out = copy_out<std::uint32_t>(memory, result, kBoxWords + 1);
  return {
      copy_out<std::uint32_t>(memory, tensor, words.size()), {out.begin(), out.begin() + kBoxWords}, out.back() != 0};
}

using Words = std::vector<std::uint32_t>;
Words first(const Words& all, std::size_t count) {
  return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count)};
}

std::string load_at(int x, int y, const std::string& more = "") {
  return "  UMOV UR10, " + std::to_string(x) + "\n  UMOV UR11, " + std::to_string(y) + "\n  UTMALDG.2D [UR8], [UR4]" +
         more + "\n";
}

TEST(TensorCopy, LoadsABoxAndCompletesItsBytes) {
  const After loaded = copied(load_at(4, 1));
  EXPECT_TRUE(loaded.over);
  EXPECT_EQ(first(loaded.box, 9), (Words{13, 14, 15, 16, 21, 22, 23, 24, 0}));
  EXPECT_FALSE(copied(load_at(4, 1), {.bytes = 48}).over) << "the barrier waits for more";
  EXPECT_EQ(first(copied(load_at(4, 1, ", desc[UR14]")).box, 2), (Words{13, 14})) << "with a hint";
  EXPECT_THROW(copied(load_at(3, 1)), DeviceFault) << "not at 16 bytes";
}

TEST(TensorCopy, GivesZerosOutsideOfTheTensor) {
  EXPECT_EQ(first(copied(load_at(4, 5), {.box = {8, 1}}).box, 8), (Words{45, 46, 47, 48, 0, 0, 0, 0}));
  EXPECT_EQ(first(copied(load_at(0, 5)).box, 8), (Words{41, 42, 43, 44, 0, 0, 0, 0}));
  EXPECT_EQ(first(copied(load_at(-4, -1), {.box = {8, 2}, .bytes = 64}).box, 16),
            (Words{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4}));
}

TEST(TensorCopy, SkipsRowsByTheSteps) {
  EXPECT_EQ(first(copied(load_at(0, 0), {.box = {4, 3}, .steps = {1, 2}}).box, 9),
            (Words{1, 2, 3, 4, 17, 18, 19, 20, 0}));
}

TEST(TensorCopy, SwizzlesChunksByLinesOf128Bytes) {
  const Words box = copied(load_at(0, 0), {.box = {8, 6}, .swizzle = 1, .bytes = 192}).box;
  EXPECT_EQ(first(box, 8), (Words{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(Words(box.begin() + 32, box.begin() + 40), (Words{37, 38, 39, 40, 33, 34, 35, 36}));
}

TEST(TensorCopy, ASwizzleSpreadsShortRows) {
  const Words box = copied(load_at(0, 0), {.box = {4, 6}, .swizzle = 1, .bytes = 96}).box;
  EXPECT_EQ(first(box, 12), (Words{1, 2, 3, 4, 0, 0, 0, 0, 9, 10, 11, 12}));
  EXPECT_EQ(Words(box.begin() + 32, box.begin() + 40), (Words{0, 0, 0, 0, 33, 34, 35, 36}));
}

TEST(TensorCopy, StoresAndReducesWhatLiesInTheTensor) {
  const std::string fill = "  MOV R9, 0x64\n  STS [0x400], R9\n  STS [0x404], R9\n  UMOV UR9, 4\n  UMOV UR10, 5\n";
  const Words stored = copied(fill + "  UTMASTG.2D [UR8], [UR4]\n").tensor;
  EXPECT_EQ(Words(stored.end() - 3, stored.end()), (Words{100, 0, 0}));
  const Words added = copied(fill + "  UTMAREDG.2D.ADD [UR8], [UR4]\n").tensor;
  EXPECT_EQ(Words(added.end() - 3, added.end()), (Words{146, 47, 48}));
  const Words most = copied(fill + "  UTMAREDG.2D.MIN [UR8], [UR4]\n").tensor;
  EXPECT_EQ(Words(most.end() - 3, most.end()), (Words{46, 0, 0}));
}

TEST(TensorCopy, AStoreDoesNotBeginBeforeTheTensor) {
  const auto store = [](const std::string& x, const std::string& y) {
    return copied("  UMOV UR9, " + x + "\n  UMOV UR10, " + y + "\n  UTMASTG.2D [UR8], [UR4]\n").over;
  };
  EXPECT_NO_THROW(store("0", "5"));
  EXPECT_THROW(store("0", "-1"), DeviceFault);
  EXPECT_THROW(store("-4", "0"), DeviceFault);
}

TEST(TensorCopy, SaysWhatIsNoTensorMap) {
  try {
    copied(load_at(0, 0), {}, true);
    FAIL() << "a map that the program has changed";
  } catch (const NotSupported& error) {
    EXPECT_NE(std::string(error.what()).find("tensormap.replace"), std::string::npos) << error.what();
  }
  EXPECT_THROW(copied("  UTMALDG.3D [UR8], [UR4]\n"), DeviceFault) << "a map of two dimensions";
}

TEST(BulkCopy, StoresAndReducesFromSharedMemory) {
  const std::string fill = "  MOV R9, 0x64\n  STS [0x404], R9\n  UMOV UR14, 0x1\n";
  EXPECT_EQ(first(copied(fill + "  UBLKCP.G.S [UR12], [UR8], UR14\n").tensor, 5), (Words{0, 100, 0, 0, 5}));
  EXPECT_EQ(first(copied(fill + "  UBLKRED.G.S.ADD [UR12], [UR8], UR14\n").tensor, 5), (Words{1, 102, 3, 4, 5}));
  EXPECT_EQ(first(copied(fill + "  UBLKRED.G.S.MAX.S32 [UR12], [UR8], UR14\n").tensor, 5), (Words{1, 100, 3, 4, 5}));
  EXPECT_THROW(copied(fill + "  UMOV UR14, 0x800\n  UBLKCP.G.S [UR12], [UR8], UR14\n"), DeviceFault);
}

TEST(BulkCopy, WithinSharedMemoryCompletesItsBytes) {
  const std::string copy = "  MOV R9, 0x64\n  STS [0x500], R9\n  UMOV UR14, 0x2\n  UMOV UR15, 0x500\n";
  const After result = copied(copy + "  UBLKCP.S.S [UR8], [UR15], UR14\n");
  EXPECT_EQ(result.box[0], 100u);
  EXPECT_TRUE(result.over);
}

}  // namespace
}  // namespace sassim::emu
