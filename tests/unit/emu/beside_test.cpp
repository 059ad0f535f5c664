// SPDX-License-Identifier: Apache-2.0
// Memory beside allocations, as probed on an H200 (h200/launches.md#allocations).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "sim/emu/core/emulator.h"
#include "sim/emu/memory/address_space.h"
#include "sim/isa/assembly.h"
#include "tests/unit/emu/harness.h"

namespace sassim::emu {
namespace {

constexpr std::uint64_t kPage = 2 << 20;

TEST(Beside, AllOfAPageWithAnAllocationIsMapped) {
  DeviceMemory memory(std::uint64_t{1} << 30);
  const std::uint64_t small = memory.allocate(1000);
  EXPECT_NE(memory.mapped(small + 1000, 4), nullptr);
  EXPECT_NE(memory.mapped(small + kPage - 4, 4), nullptr);
  EXPECT_EQ(memory.mapped(small + kPage - 4, 8), nullptr) << "half of it in the next page";
  EXPECT_EQ(memory.mapped(small + kPage, 4), nullptr);
  for (const std::uint64_t before : {4u, 2400000u}) EXPECT_NE(memory.mapped(small - before, 4), nullptr) << before;
  EXPECT_EQ(memory.mapped(small - (1 << 30), 4), nullptr);
  EXPECT_EQ(*memory.mapped(small + 1000, 1), std::byte{0});

  const std::uint64_t large = memory.allocate(3 << 20);
  EXPECT_NE(memory.mapped(large - 4, 4), nullptr);
  EXPECT_NE(memory.mapped(large + (4 << 20) - 4, 4), nullptr);
  EXPECT_EQ(memory.mapped(large + (4 << 20), 4), nullptr);
  memory.free(large);
  EXPECT_EQ(memory.mapped(large, 4), nullptr) << "its pages are gone";
}

TEST(Beside, LargeAllocationsTouch) {
  DeviceMemory memory(std::uint64_t{1} << 30);
  const std::uint64_t a = memory.allocate(4 << 20);
  EXPECT_EQ(memory.mapped(a + (4 << 20), 4), nullptr) << "nothing behind it";
  const std::uint64_t b = memory.allocate(4 << 20);
  EXPECT_NE(memory.mapped(a + (4 << 20), 4), nullptr);
  EXPECT_NE(memory.mapped(b - 4, 4), nullptr);
  EXPECT_EQ(memory.mapped(b + (4 << 20), 4), nullptr);
  memory.free(a);
  EXPECT_EQ(memory.mapped(b - 4, 4), nullptr);
}

TEST(Beside, RegionsAreAllThatIsMappedAndDoNotOverlap) {
  DeviceMemory memory(std::uint64_t{1} << 30);
  std::vector<std::uint64_t> pieces;
  for (const std::uint64_t bytes : {1000u, 300u, 4u << 20, 0u, 3u << 20, 1u << 20, 4u << 20, 2u << 20})
    pieces.push_back(memory.allocate(bytes));
  for (const std::size_t gone : {0u, 4u}) memory.free(pieces[gone]);
  int host[4] = {};
  memory.map_host(host, sizeof host);
  std::vector<Allocation> regions;
  memory.for_each_region([&](const Allocation& region) { regions.push_back(region); });
  const auto region_of = [&](std::uint64_t address) {
    return std::find_if(regions.begin(), regions.end(), [&](const Allocation& r) { return r.contains(address, 1); });
  };
  std::uint64_t end = 0;
  for (const Allocation& region : regions) {
    EXPECT_GE(region.address, end) << "they overlap";
    end = region.address + region.bytes;
  }
  for (std::uint64_t address = kHeapBase - 3 * kPage; address < kHeapBase + (40u << 20); address += 256) {
    const auto found = memory.region(address, 256);
    ASSERT_EQ(found.has_value(), memory.mapped(address, 256) != nullptr) << std::hex << address;
    const auto at = region_of(address);
    ASSERT_EQ(found.has_value(), at != regions.end()) << std::hex << address;
    if (!found) continue;
    ASSERT_EQ(std::tuple(found->address, found->bytes), std::tuple(at->address, at->bytes)) << std::hex << address;
    ASSERT_EQ(memory.mapped(address, 1), at->host + (address - at->address)) << std::hex << address;
  }
  EXPECT_EQ(regions.back().bytes, sizeof host);
}

TEST(Beside, NewMemoryIsZeroWhateverLayThere) {
  DeviceMemory memory(std::uint64_t{1} << 30);
  const std::uint64_t a = memory.allocate(100);
  std::memset(memory.mapped(a, 20000), 7, 20000);
  const std::uint64_t b = memory.allocate(10000);
  EXPECT_LT(b, a + 20000);
  for (const auto byte : copy_out<std::uint8_t>(memory, b, 10000)) ASSERT_EQ(byte, 0);
  memory.fill(b, 9, 10000);
  memory.free(b);
  EXPECT_EQ(memory.allocate(10000), b);
  for (const auto byte : copy_out<std::uint8_t>(memory, b, 10000)) ASSERT_EQ(byte, 0);
  EXPECT_EQ(copy_out<std::uint8_t>(memory, a, 100)[99], 7) << "its neighbour is as it was";
}

TEST(Beside, AnAccessGoesOnAndIsCounted) {
  const auto kernel = make_kernel("beside", 70, isa::assemble(R"(
  S2R R0, SR_LANEID
  MOV R2, c[0x0][0x160]
  MOV R3, c[0x0][0x164]
  MOV R8, 0x4
  IMAD.WIDE R2, R0, R8, R2
  LDG.E.SYS R4, [R2+0x40]
  IADD3 R4, R4, 0x5, RZ
  STG.E.SYS [R2+0x40], R4
  EXIT
)"),
                                  8);
  for (const std::uint32_t blocks : {1u, 2u}) {  // with two the launch is watched, and begins again
    DeviceMemory memory;
    const std::uint64_t data = memory.allocate(100);
    LaunchConfig launch{.grid = {blocks}, .block = {32}};
    launch.params = pack(data);
    const RunResult result = run(*kernel, launch, memory);
    // Of each block's 32 words from byte 64 on, 9 are inside.
    EXPECT_EQ(result.beside.count, blocks * 2 * 23) << blocks;
    EXPECT_EQ(result.beside.first,
              fmt::format("PC 0x50 ('{}'), block (0,0,0), thread (9,0,0), address {:#x}, 0 bytes behind the allocation "
                          "[{:#x}, {:#x})",
                          kernel->code[5].text(), data + 100, data, data + 100));
    std::uint32_t value = 0;
    std::memcpy(&value, memory.mapped(data + 64 + 31 * 4, 4), 4);
    EXPECT_GE(value, 5u);
    EXPECT_LE(value, 5 * blocks) << "what a beginning that did not count wrote is undone";
    EXPECT_EQ(value % 5, 0u);
  }
}

TEST(Beside, BeforeAnAllocationTooAndTheNearerOneIsNamed) {
  const auto kernel = make_kernel("before", 70, isa::assemble(R"(
  MOV R2, c[0x0][0x160]
  MOV R3, c[0x0][0x164]
  LDG.E.SYS R4, [R2+-0x4]
  EXIT
)"),
                                  8);
  DeviceMemory memory;
  const std::uint64_t a = memory.allocate(100), b = memory.allocate(100);
  LaunchConfig launch{.grid = {1}, .block = {1}};
  for (const std::uint64_t data : {a, b}) {
    launch.params = pack(data);
    const RunResult result = run(*kernel, launch, memory);
    EXPECT_EQ(result.beside.count, 1u);
    EXPECT_NE(result.beside.first.find(fmt::format("4 bytes before the allocation [{:#x}, ", data)), std::string::npos)
        << result.beside.first;
  }
}

}  // namespace
}  // namespace sassim::emu
